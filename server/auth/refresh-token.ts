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
const signatureBytes = 16
const checksumBytes = 4

/**
 * Creates the refresh token of a session at a counter: base64url of 0x00, session id (16 bytes), counter (uvarint),
 * HMAC-SHA256 of these under the session's key (16 bytes), SHA-256 of all that (4 bytes). Derived, so no table of
 * tokens is needed and the current one can be handed out again (GoTrue, refresh token algorithm 2).
 */
export function encodeRefreshToken(sessionId: string, counter: bigint, key: Buffer): string {
  const head = headOf(sessionId, counter)
  const signed = Buffer.concat([head, sign(head, key)])
  return Buffer.concat([signed, checksum(signed)]).toString('base64url')
}

/** @returns undefined for anything else; the checksum saves a database query */
export function decodeRefreshToken(token: string): RefreshToken | undefined {
  if (token.length > 128 || !/^[A-Za-z0-9_-]+$/.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const signed = bytes.subarray(0, -checksumBytes)
  if (bytes.length < 17 + 1 + signatureBytes + checksumBytes || bytes[0] !== versionByte)
    return undefined
  if (!bytes.subarray(-checksumBytes).equals(checksum(signed))) return undefined
  const counter = readUvarint(signed.subarray(17, -signatureBytes))
  if (counter === undefined) return undefined
  const id = bytes.toString('hex', 1, 17)
  return {
    sessionId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    counter,
    signature: signed.subarray(-signatureBytes),
  }
}

/** True when the token was signed with the session's key. */
export function isGenuine(token: RefreshToken, key: Buffer): boolean {
  return constantTimeEqual(token.signature, sign(headOf(token.sessionId, token.counter), key))
}

function headOf(sessionId: string, counter: bigint): Buffer {
  return Buffer.concat([
    Buffer.from([versionByte]),
    Buffer.from(sessionId.replaceAll('-', ''), 'hex'),
    uvarint(counter),
  ])
}

function sign(head: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(head).digest().subarray(0, signatureBytes)
}

function checksum(bytes: Buffer): Buffer {
  return sha256(bytes).subarray(0, checksumBytes)
}

function uvarint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Buffer.from([...bytes, Number(rest)])
}

function readUvarint(bytes: Buffer): bigint | undefined {
  if (bytes.length === 0 || bytes.length > 9) return undefined
  let value = 0n
  for (const [index, byte] of bytes.entries()) {
    // The last byte, and only that one, has no continuation bit.
    if (byte >= 0x80 !== index < bytes.length - 1) return undefined
    value |= BigInt(byte & 0x7f) << BigInt(7 * index)
  }
  return value
}
