import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import type { TestUser } from '#test/factories.ts'
import type { TestServer } from '#test/server.ts'

type Server = Pick<TestServer, 'url'>

/** Sends a file as the body itself. */
export async function upload(
  server: Server,
  user: Pick<TestUser, 'headers'> | undefined,
  file: Uint8Array | ReadableStream<Uint8Array>,
  type = 'image/png',
): Promise<{ status: number; body: { imageUrl?: string; error?: string } }> {
  const response = await fetch(`${server.url}/media/uploads`, {
    method: 'POST',
    headers: { ...user?.headers, 'content-type': type },
    body: file as BodyInit,
    duplex: 'half',
  } as RequestInit)
  return {
    status: response.status,
    body: (await response.json()) as { imageUrl?: string; error?: string },
  }
}

/** Another picture each time. */
export function newPicture(width = 40, height = 30): Promise<Buffer> {
  const raw = { width: 8, height: 8, channels: 3 } as const
  return sharp(randomBytes(8 * 8 * 3), { raw })
    .resize(width, height, { fit: 'fill', kernel: 'nearest' })
    .png()
    .toBuffer()
}

/** A PNG with this size in its header and no such picture in it, as a bomb. */
export async function pngThatSays(width: number, height: number): Promise<Buffer> {
  const file = await newPicture()
  file.writeUInt32BE(width, 16)
  file.writeUInt32BE(height, 20)
  file.writeUInt32BE(crc32(file.subarray(12, 29)), 29)
  return file
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
