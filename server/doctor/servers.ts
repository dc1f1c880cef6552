import { dataDirOwner } from '../data-dir.ts'
import { consequences, disagreementsWith, type Peer } from '../peers/disagreements.ts'
import { plansSetting, readInstallation } from '../peers/installation.ts'
import { seenServers } from '../peers/peers.ts'
import { queryAs } from '../postgres/rows.ts'
import { type DoctorDeps, type Finding, ok, okIf, problem, warning } from './finding.ts'

/** Which servers use this database, and whether they agree with each other and with the settings here. */
export async function checkServers({ config, database, keys }: DoctorDeps): Promise<Finding[]> {
  const owner = await dataDirOwner(config.dataDir)
  const servers = await queryAs<Peer>(
    database,
    { role: 'hoplet_worker', readOnly: true },
    seenServers,
    [null],
  )
  const installation = await readInstallation(database)
  const [first, ...others] = servers
  if (!first) return [problem('No server is running on this database. Start one: npm start')]
  const here = okIf(
    owner !== undefined,
    `A server (process ${owner}) is running on ${config.dataDir}.`,
    warning(`None of the servers uses DATA_DIR ${config.dataDir}. Is it the right one?`),
  )
  const names = servers.map(({ host }) => host).join(', ')
  return [
    here,
    ok(`Running on this database: ${servers.length} (${names}).`),
    okIf(
      servers.some(({ keyId }) => keyId === (keys.signingKey.kid ?? '')),
      'The signing key is theirs.',
      problem('The servers sign with another key than the one here. Set the same JWT_SIGNING_KEY.'),
    ),
    ...disagreementsWith(first, others).map(({ about, host, own, theirs }) =>
      problem(
        `${first.host} and ${host} differ in ${about} (${own}, ${theirs}): ${consequences[about]}.`,
      ),
    ),
    okIf(
      installation.hasPlans === config.installation.hasPlans,
      `${plansSetting(installation)}, as here.`,
      problem(
        `The servers follow ${plansSetting(installation)}, and here is ${plansSetting(config.installation)}. Set the same for all servers.`,
      ),
    ),
    ...(others.length > 0 && !config.media.s3
      ? [warning('Images are files of one server. For several set S3_…, or share DATA_DIR/media.')]
      : []),
  ]
}
