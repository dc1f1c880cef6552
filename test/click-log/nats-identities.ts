import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { nkeys } from '@nats-io/transport-node'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

type KeyPair = ReturnType<typeof nkeys.createUser>

/** A JWT as NATS has them: signed by the key of its issuer. */
function signed(issuer: KeyPair, subject: KeyPair, name: string, nats: object): string {
  const claims = { iss: issuer.getPublicKey(), sub: subject.getPublicKey(), name, nats }
  const content = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({
    jti: name,
    iat: Math.floor(Date.now() / 1000),
    ...claims,
  })}`
  const signature = issuer.sign(new TextEncoder().encode(content))
  return `${content}.${Buffer.from(signature).toString('base64url')}`
}

const messaging = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1, leaf: -1 }
const limitsOf = {
  system: { ...messaging, wildcards: true },
  hoplet: {
    ...messaging,
    wildcards: true,
    mem_storage: -1,
    disk_storage: -1,
    streams: -1,
    consumer: -1,
  },
}

/** An operator with an account: the lines of a server's configuration, and .creds files of users, as `nsc` makes them. */
export function newOperator() {
  const [operator, system, account] = [
    nkeys.createOperator(),
    nkeys.createAccount(),
    nkeys.createAccount(),
  ]
  const accountOf = (key: KeyPair, name: 'system' | 'hoplet') =>
    signed(operator, key, name, { type: 'account', version: 2, limits: limitsOf[name] })
  return {
    settings: `
      operator: ${signed(operator, operator, 'operator', { type: 'operator', version: 2 })}
      system_account: ${system.getPublicKey()}
      resolver: MEMORY
      resolver_preload: {
        ${system.getPublicKey()}: ${accountOf(system, 'system')}
        ${account.getPublicKey()}: ${accountOf(account, 'hoplet')}
      }`,
    newCredentials(): { file: string; seed: string } {
      const user = nkeys.createUser()
      const limits = { subs: -1, data: -1, payload: -1 }
      const jwt = signed(account, user, 'user', { type: 'user', version: 2, ...limits })
      const seed = text(user.getSeed())
      return {
        seed,
        file: [
          `-----BEGIN NATS USER JWT-----\n${jwt}\n------END NATS USER JWT------\n`,
          `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
        ].join('\n'),
      }
    },
  }
}

export function newNkey(): { publicKey: string; seed: string } {
  const user = nkeys.createUser()
  return { publicKey: user.getPublicKey(), seed: text(user.getSeed()) }
}

const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:P-256'

/** A CA in a folder, and its certificates: `NAME.pem`, a certificate for 127.0.0.1 with its key. */
export function newAuthority(folder: string, name: string) {
  const openssl = (command: string) =>
    execFileSync('sh', ['-c', `openssl req -x509 -nodes ${newKey} ${command}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  openssl(`-keyout ${name}.pem -out ${name}-ca.pem -subj /CN=${name}`)
  return {
    file: join(folder, `${name}-ca.pem`),
    issue(holder: string): string {
      const signer = `-CA ${name}-ca.pem -CAkey ${name}.pem`
      const extensions =
        '-addext basicConstraints=critical,CA:false -addext subjectAltName=IP:127.0.0.1'
      openssl(
        `-keyout ${holder}.pem -out ${holder}-cert.pem -subj /CN=${holder} ${signer} ${extensions} && cat ${holder}-cert.pem >> ${holder}.pem`,
      )
      return join(folder, `${holder}.pem`)
    },
  }
}
