// The HTTP interface of ClickHouse as far as its client uses it, over the engine itself (chdb, see scripts/chdb.mjs).
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const { Session } = createRequire(resolve('.cache/chdb/package.json'))('chdb')
const session = new Session(process.env['STAND_IN_FOLDER'])
const password = process.env['STAND_IN_PASSWORD'] ?? ''

/** The engine has one session, so requests take turns. */
let last = Promise.resolve()

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    last = last.then(() => answer(request, Buffer.concat(chunks).toString(), response))
  })
})

function answer(request, body, response) {
  const { searchParams } = new URL(request.url, 'http://stand-in')
  const login = Buffer.from(request.headers.authorization?.slice(6) ?? '', 'base64').toString()
  if (password !== '' && login.split(':')[1] !== password)
    return refuse(
      response,
      'Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)',
    )
  try {
    const database = searchParams.get('database')
    session.query(`use ${database ?? 'default'}`)
    // The session is one for all requests: a setting lasts for one request only.
    const given = { insert_deduplication_token: '' }
    for (const [name, value] of searchParams)
      if (name.startsWith('param_') || name.includes('insert') || name.includes('dedup'))
        given[name] = value
    for (const [name, value] of Object.entries(given))
      session.query(`set ${name} = '${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`)
    const query = searchParams.get('query')
    const text = query === null ? body : `${query}\n${body}`
    const format = /\bformat\s+(\w+)\s*$/i.exec(text)?.[1]
    response.end(session.query(text, format ?? 'TabSeparated'))
  } catch (error) {
    refuse(response, error.message)
  }
}

function refuse(response, message) {
  const code = /Code: (\d+)/.exec(message)?.[1] ?? '0'
  response.writeHead(500, { 'X-ClickHouse-Exception-Code': code })
  response.end(message.startsWith('Code: ') ? message : `Code: ${code}. DB::Exception: ${message}`)
}

// Not longer than the test that forked it.
process.once('disconnect', () => process.exit())
server.listen(Number(process.env['STAND_IN_PORT'] ?? 0), '127.0.0.1', () => {
  process.send?.({ port: server.address().port })
})
