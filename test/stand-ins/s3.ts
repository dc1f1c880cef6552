import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const s3Settings = {
  bucket: 'pictures',
  region: 'eu-x',
  accessKeyId: 'an-id',
  secretAccessKey: 'a-secret',
}

/** Object storage with path-style addresses: puts, multipart uploads, reads, lists of two keys a page. It insists on signed requests. */
export async function startS3() {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Map<number, Buffer>>()
  /** Answers 500 to those requests. */
  let isFailing = (_request: IncomingMessage): boolean => false
  /** Never answers those. */
  let isStalling = isFailing
  let stalled = 0

  const answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3')
    const path = decodeURIComponent(pathname)
    const upload = searchParams.get('uploadId')
    const end = (status: number, text: string | Buffer = '', headers = {}) =>
      response.writeHead(status, headers).end(text)
    const isSigned = /^AWS4-HMAC-SHA256 Credential=an-id\/\d{8}\/eu-x\/s3\/aws4_request, /.test(
      request.headers.authorization ?? '',
    )
    if (!isSigned) return end(403)
    if (isFailing(request)) return end(500)
    if (isStalling(request)) return void stalled++
    if (request.method === 'POST' && searchParams.has('uploads')) {
      const id = `${randomUUID()}&+`
      uploads.set(id, new Map())
      return end(200, `<R><UploadId>${id.replace('&', '&amp;')}</UploadId></R>`)
    }
    if (upload !== null) {
      const parts = uploads.get(upload)
      if (!parts) return end(404)
      if (request.method === 'PUT') {
        parts.set(Number(searchParams.get('partNumber')), body)
        return end(200, '', { etag: `"${parts.size}"` })
      }
      uploads.delete(upload)
      if (request.method === 'DELETE') return end(204)
      const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"\d+"/g)]
      objects.set(
        path,
        Buffer.concat(named.map(([, n]) => parts.get(Number(n)) ?? Buffer.alloc(0))),
      )
      return end(200, '<CompleteMultipartUploadResult/>')
    }
    if (searchParams.get('list-type') === '2') {
      const root = `${path.replace(/\/$/, '')}/`
      const keys = [...objects.keys()]
        .filter((each) => each.startsWith(root + (searchParams.get('prefix') ?? '')))
        .map((each) => each.slice(root.length))
        .sort()
      const from = Number(searchParams.get('continuation-token') ?? 0)
      const more = keys.length > from + 2
      const listed = keys
        .slice(from, from + 2)
        .map((key) => `<Contents><Key>${key}</Key></Contents>`)
      const next = more ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : ''
      return end(200, `<ListBucketResult>${listed.join('')}${next}</ListBucketResult>`)
    }
    if (request.method === 'PUT') objects.set(path, body)
    if (request.method === 'DELETE') objects.delete(path)
    const object = objects.get(path)
    return request.method === 'GET' ? end(object ? 200 : 404, object) : end(200)
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answer(request, Buffer.concat(chunks), response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** By `/bucket/key`. */
    objects,
    /** Those that were neither completed nor given up. */
    uploads,
    failWhen: (test: typeof isFailing) => void (isFailing = test),
    stallWhen: (test: typeof isStalling) => void (isStalling = test),
    /** How many requests have no answer. */
    stalled: () => stalled,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
