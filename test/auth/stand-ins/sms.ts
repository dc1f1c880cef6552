import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { serve, type StandIn } from './serve.ts'

interface TextMessage {
  /** With a plus. */
  phone: string
  code: string
}

export interface SmsGateway extends StandIn {
  sent: TextMessage[]
  /** The answers to the next messages. */
  status: number
  /** The code of the newest message to a number, once there are as many as `count`. */
  codeFor(phone: string, count?: number): Promise<string>
}

/** Takes text messages as an operator's webhook does, and keeps them. */
export async function startSmsGateway(): Promise<SmsGateway> {
  const standIn = await serve((incoming, outgoing) => {
    void json(incoming).then((message) => {
      gateway.sent.push(message as TextMessage)
      outgoing.writeHead(gateway.status).end()
    })
  })
  const gateway: SmsGateway = {
    ...standIn,
    sent: [],
    status: 200,
    async codeFor(phone, count = 1) {
      for (let attempt = 0; attempt < 200; attempt++) {
        const messages = gateway.sent.filter((message) => message.phone === phone)
        const newest = messages.at(-1)
        if (newest && messages.length >= count) return newest.code
        await sleep(50)
      }
      throw new Error(`no message for ${phone}`)
    },
  }
  return gateway
}

/** A phone number that no other account has. */
export function newPhone(): string {
  return `+49151${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`
}
