import { constantTimeEqual } from '../primitives/constant-time.ts'
import { sha256 } from '../primitives/sha256.ts'
import { createHmac } from 'node:crypto'

/** The parts of a refresh token that is not yet verified. */
export interface RefreshToken {
  sessionId: string
  counter: bigint
  signature: Buffer
}

const versionByte = 0x00
const headBytes = 1 + 16 + 8
const signatureBytes = 16
const checksumBytes = 4
const format = /^[A-Za-z0-9_-]{60}$/

/**
 * Creates the refresh token of a session at a counter: base64url of 0x00, session id (16 bytes), counter (8 bytes),
 * HMAC-SHA256 of these under the session's key (16 bytes), SHA-256 of all that (4 bytes). Derived, so no table of
 * tokens is needed and the current one can be handed out again (like GoTrue's refresh token algorithm 2).
 */
export function encodeRefreshToken(sessionId: string, counter: bigint, key: Buffer): string {
  const head = headOf(sessionId, counter)
  const signed = Buffer.concat([head, sign(head, key)])
  return Buffer.concat([signed, checksum(signed)]).toString('base64url')
}

/** @returns undefined for anything else; the checksum saves a database query */
export function decodeRefreshToken(token: string): RefreshToken | undefined {
  if (!format.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const signed = bytes.subarray(0, -checksumBytes)
  const isWhole = bytes.subarray(-checksumBytes).equals(checksum(signed))
  if (!isWhole || bytes[0] !== versionByte) return undefined
  const id = bytes.toString('hex', 1, 17)
  return {
    sessionId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter: bytes.readBigUInt64BE(17),
    signature: signed.subarray(-signatureBytes),
  }
}

/** True when the token was signed with the session's key. */
export function isGenuine(token: RefreshToken, key: Buffer): boolean {
  return constantTimeEqual(token.signature, sign(headOf(token.sessionId, token.counter), key))
}

function headOf(sessionId: string, counter: bigint): Buffer {
  const head = Buffer.alloc(headBytes)
  head[0] = versionByte
  head.write(sessionId.replaceAll('-', ''), 1, 'hex')
  head.writeBigUInt64BE(counter, 17)
  return head
}

function sign(head: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(head).digest().subarray(0, signatureBytes)
}

function checksum(bytes: Buffer): Buffer {
  return sha256(bytes).subarray(0, checksumBytes)
}
