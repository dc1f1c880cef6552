import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, isIPv6, type Socket } from 'node:net'

const types = { A: 1, CNAME: 5, TXT: 16, AAAA: 28, CAA: 257 } as const
type RecordType = keyof typeof types

/** Records of a name, each as people write it; CAA: `0 issue letsencrypt.org`. */
type Zone = Partial<Record<RecordType, string[]>>

const maxUdpBytes = 512
const serverFailure = 2
const noSuchName = 3
const maxHops = 10

/** A small recursive name server on this machine, with faults. Names that it lacks do not exist. */
export async function startDnsServer() {
  const zones = new Map<string, Zone | (() => Zone)>()
  const delays = new Map<string, number>()
  const asked: string[] = []
  const late = new Set<NodeJS.Timeout>()
  const udp = createSocket('udp4')
  const reply = (question: Buffer, send: (answer: Buffer) => void) => {
    const { name, type } = readQuestion(question)
    asked.push(`${type} ${name}`)
    const delay = delays.get(name) ?? 0
    const answer = () => send(answerTo(question, name, type))
    if (delay > 0) late.add(setTimeout(answer, delay).unref())
    else answer()
  }
  const zoneOf = (name: string): Zone | undefined => {
    const zone = zones.get(name.toLowerCase())
    return typeof zone === 'function' ? zone() : zone
  }
  const answerTo = (question: Buffer, name: string, type: number): Buffer => {
    const answers: Buffer[] = []
    let at = name
    for (let hops = 0; hops <= maxHops; hops++) {
      const zone = zoneOf(at)
      if (!zone) return message(question, answers, hops === 0 ? noSuchName : 0)
      const [next] = zone.CNAME ?? []
      if (next !== undefined) answers.push(record(at, 'CNAME', next))
      if (next === undefined || type === types.CNAME) {
        const known = (Object.keys(types) as RecordType[]).find((each) => types[each] === type)
        if (known !== undefined && known !== 'CNAME')
          answers.push(...(zone[known] ?? []).map((value) => record(at, known, value)))
        return message(question, answers, 0)
      }
      at = next
    }
    return message(question, [], serverFailure)
  }
  udp.on('message', (question, { address, port }) =>
    reply(question, (answer) => {
      const isLong = answer.length > maxUdpBytes
      udp.send(isLong ? truncated(question) : answer, port, address)
    }),
  )
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')
  const { port } = udp.address()
  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    let read = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      read = Buffer.concat([read, bytes])
      while (read.length > 2 && read.length >= 2 + read.readUInt16BE(0)) {
        const end = 2 + read.readUInt16BE(0)
        reply(read.subarray(2, end), (answer) => {
          const length = Buffer.alloc(2)
          length.writeUInt16BE(answer.length)
          socket.write(Buffer.concat([length, answer]))
        })
        read = read.subarray(end)
      }
    })
  })
  tcp.listen(port, '127.0.0.1')
  await once(tcp, 'listening')
  return {
    /** For DNS_SERVERS. */
    address: `127.0.0.1:${(tcp.address() as AddressInfo).port}`,
    /** Replaces the records of a name; a function makes them for each question. */
    set: (name: string, zone: Zone | (() => Zone)) => void zones.set(name, zone),
    remove: (name: string) => void zones.delete(name),
    /** Answers to questions about a name come after so many milliseconds. */
    delay: (name: string, ms: number) => void delays.set(name, ms),
    asked,
    close() {
      for (const timer of late) clearTimeout(timer)
      udp.close()
      tcp.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function readQuestion(question: Buffer): { name: string; type: number } {
  const labels: string[] = []
  let at = 12
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: question.readUInt16BE(at + 1) }
}

function questionEnd(question: Buffer): number {
  let at = 12
  while ((question[at] ?? 0) > 0) at += 1 + (question[at] ?? 0)
  return at + 5
}

function message(question: Buffer, answers: Buffer[], code: number): Buffer {
  const head = Buffer.alloc(12)
  question.copy(head, 0, 0, 2)
  head.writeUInt16BE(0x81_80 | code, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(answers.length, 6)
  return Buffer.concat([head, question.subarray(12, questionEnd(question)), ...answers])
}

function truncated(question: Buffer): Buffer {
  const answer = message(question, [], 0)
  answer.writeUInt16BE(0x83_80, 2)
  return answer
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => {
    const bytes = Buffer.from(label, 'latin1')
    return Buffer.concat([Buffer.of(bytes.length), bytes])
  })
  return Buffer.concat([...labels, Buffer.of(0)])
}

function record(name: string, type: RecordType, value: string): Buffer {
  const data = encodeData(type, value)
  const head = Buffer.alloc(10)
  head.writeUInt16BE(types[type], 0)
  head.writeUInt16BE(1, 2)
  head.writeUInt32BE(300, 4)
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), head, data])
}

function encodeData(type: RecordType, value: string): Buffer {
  if (type === 'CNAME') return encodeName(value)
  if (type === 'A') return Buffer.from(value.split('.').map(Number))
  if (type === 'AAAA') return encodeIpv6(value)
  if (type === 'CAA') {
    const [flags, tag = '', ...rest] = value.split(' ')
    const tagBytes = Buffer.from(tag)
    return Buffer.concat([
      Buffer.of(Number(flags), tagBytes.length),
      tagBytes,
      Buffer.from(rest.join(' ')),
    ])
  }
  // One TXT record has strings of at most 255 bytes.
  const bytes = Buffer.from(value)
  const parts: Buffer[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255)
    parts.push(Buffer.of(part.length), part)
  }
  return Buffer.concat(parts)
}

function encodeIpv6(value: string): Buffer {
  if (!isIPv6(value)) throw new Error(`${value} is no IPv6 address`)
  const [before = '', after] = value.split('::')
  const groups = (text = '') => text.split(':').filter(Boolean)
  const [head, tail] = [groups(before), groups(after)]
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  const bytes = Buffer.alloc(16)
  for (const [at, group] of [...head, ...zeros, ...tail].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), at * 2)
  return bytes
}
