import { expect, it } from 'vitest'
import { drawQr } from '#domain/qr/draw-qr.ts'
import { payloadOf, type Payload } from '#domain/qr/payloads.ts'
import { plainQrLook } from '#domain/qr/qr-look.ts'
import { emptyStaticFields as empty } from '#domain/qr/static-forms.ts'
import { nodeLab } from './node-lab.ts'
import { partsOf, readMail, readWifi } from './payload-readers.ts'

const nasty = String.raw`a;b,c\d:"e" ÄÖÜß 東京 🎉 مطعم`
const lines = `${nasty}\n${nasty}`

/** The text that both decoders read in the drawn code. */
async function scanned(payload: Payload): Promise<string> {
  if ('problems' in payload) throw new Error(JSON.stringify(payload.problems))
  const picture = await nodeLab.rasterize(drawQr(payload.text, plainQrLook), 4)
  const texts = await Promise.all(Object.values(nodeLab.decoders).map((decode) => decode(picture)))
  expect(texts).toEqual([payload.text, payload.text])
  return texts[0] ?? ''
}

it('a scanned Wi-Fi code has the name and the password', async () => {
  const [ssid, password] = [String.raw`Café;\"寿司🎉`, String.raw`pass;word:\,"ü`]
  const wifi = payloadOf('wifi', { ...empty.wifi, ssid, password })
  expect(readWifi(await scanned(wifi))).toEqual({ T: 'WPA', S: ssid, P: password })
})

it('a scanned contact and a scanned event have their texts', async () => {
  const contact = { ...empty.contact, given: nasty, family: 'Øre', note: lines }
  const card = await scanned(payloadOf('contact', contact))
  expect(partsOf(card, 'N')).toEqual(['Øre', nasty, '', '', ''])
  expect(partsOf(card, 'NOTE')).toEqual([lines])
  const event = { ...empty.event, title: nasty, start: '2027-07-01T18:00', notes: lines }
  const calendar = await scanned(payloadOf('event', event))
  expect(partsOf(calendar, 'SUMMARY')).toEqual([nasty])
  expect(partsOf(calendar, 'DESCRIPTION')).toEqual([lines])
})

it('a scanned email, message, number, place and text have theirs', async () => {
  const mail = { to: 'ann@bistro.example', subject: nasty, body: lines }
  expect(readMail(await scanned(payloadOf('email', mail)))).toEqual({
    ...mail,
    body: lines.replaceAll('\n', '\r\n'),
  })
  const message = await scanned(payloadOf('sms', { phone: '+4930123', message: lines }))
  expect(message.slice('SMSTO:+4930123:'.length)).toBe(lines)
  expect(await scanned(payloadOf('phone', { phone: '+49 30 123' }))).toBe('tel:+4930123')
  const place = { latitude: '52.52', longitude: '13.405' }
  expect(await scanned(payloadOf('place', place))).toBe('geo:52.52,13.405')
  for (const text of [nasty, lines, nasty.repeat(20), '7'.repeat(3_000)])
    expect(await scanned(payloadOf('text', { text }))).toBe(text)
})

it.for(['ä', 'é ü ñ', 'ÿþ', '日', 'ﾃｽﾄ', '¿Qué?', '‏שלום', '\u0301a'])(
  'a short text is read in the right alphabet: %s',
  async (text) => {
    expect(await scanned(payloadOf('text', { text }))).toBe(text)
  },
)
