import { Agent } from 'node:https'
import { connect, type TcpNetConnectOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import type { LookUpAll } from '#server/primitives/public-address.ts'
import { getFromEndpoint } from '#server/webhooks/post.ts'

/**
 * Reads public addresses in a test: every name leads to this port of this machine, over plain HTTP, and has a public address
 * unless it begins with "private".
 */
export function getPublicFrom(port: () => number): typeof getFromEndpoint {
  class PublicNames extends Agent {
    createConnection(
      { host: name = '', lookup }: TcpNetConnectOpts,
      done: (error: Error | null, socket?: Duplex) => void,
    ): undefined {
      lookup?.(name, { all: true }, (error) => {
        if (error) return done(error)
        const socket = connect(port(), '127.0.0.1')
        Object.defineProperty(socket, 'remoteAddress', { value: '93.184.215.14' })
        done(null, socket)
      })
    }
  }
  const lookUp: LookUpAll = (name, _options, done) => {
    const address = name.startsWith('private') ? '10.0.0.1' : '93.184.215.14'
    done(null, [{ address, family: 4 }])
  }
  return (address, options) =>
    getFromEndpoint(address, { ...options, agent: new PublicNames(), lookUp })
}
