import { once } from 'node:events'
import { request } from 'node:http'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { removeAvatar, uploadAvatar } from '../../shared/api/avatars.ts'
import { usersMe } from '../../shared/api/profile.ts'
import { bootstrapped, organizationOf, otherCompany, person } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'
import { formWith, tinyPng } from '../helpers/upload.ts'
import { auditOf } from './kit.ts'

type File = Parameters<typeof formWith>[1]

async function upload(app: TestApp, token: string, content: Buffer, file?: File) {
  const { payload, headers } = formWith(content, file)
  const url = `/api/v1${uploadAvatar.path}`
  const response = await app.inject({ method: 'POST', url, payload, headers: { ...headers, ...bearer(token) } })
  return { status: response.statusCode, body: response.json() }
}

const look = (app: TestApp, token: string, id: string, headers = {}) =>
  app.inject({ method: 'GET', url: `/api/v1/users/${id}/avatar`, headers: { ...bearer(token), ...headers } })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** A picture in one color, as a file; made by the tests even while the loaders of the server are blocked. */
const plain = (width: number, height: number, background = '#c04020') =>
  sharp({ create: { width, height, channels: 3, background } })

test('a picture is resized to a small square, served with a weak ETag, and removed', async () => {
  await using app = await testApp()
  const { token, userId } = await bootstrapped(app)
  const { status, body } = await upload(app, token, await plain(400, 300).jpeg().toBuffer())
  const avatarUrl = `/api/v1/users/${userId}/avatar`
  expect([status, body]).toEqual([
    200,
    { avatarUrl, size: expect.any(Number), mime: 'image/webp', updatedAt: expect.any(String) },
  ])
  expect((await app.call(usersMe, {}, { token })).body.avatarUrl).toBe(avatarUrl)
  const served = await look(app, token, userId)
  expect(served.headers).toMatchObject({
    'content-type': 'image/webp',
    'content-length': String(body.size),
    'cache-control': 'private, max-age=300',
    vary: 'authorization',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    etag: expect.stringMatching(/^W\/"/),
  })
  expect(await sharp(served.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256 })
  const edge = await sharp(served.rawPayload).extract({ left: 0, top: 0, width: 256, height: 1 }).stats()
  expect(edge.channels[0]?.min, 'filled to the edge').toBeGreaterThan(150)
  const again = await look(app, token, userId, { 'if-none-match': served.headers.etag })
  expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', served.headers.etag])

  app.clock.advance(1000)
  await upload(app, token, tinyPng)
  expect((await look(app, token, userId)).headers.etag).not.toBe(served.headers.etag)

  expect((await app.call(removeAvatar, {}, { token })).body).toEqual({ avatarUrl: null })
  expect((await look(app, token, userId)).statusCode).toBe(404)
  expect((await app.call(usersMe, {}, { token })).body.avatarUrl).toBeNull()
  await app.call(removeAvatar, {}, { token })
  expect(auditOf(app, 'user.avatar.upload')).toHaveLength(2)
  expect(auditOf(app, 'user.avatar.delete')).toHaveLength(1)
  const edits = auditOf(app, 'user.profile.update').map(({ details }) => JSON.parse(details) as object)
  expect(edits, 'and each is an edit of the profile').toEqual(Array(3).fill({ changedFields: ['avatarUrl'] }))
})

test('the type of a picture is decided by its content: a PNG named .jpg is accepted, an SVG is not', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>')
  const renamed = { name: 'me.jpg', type: 'image/jpeg' }
  expect((await upload(app, token, tinyPng, renamed)).status).toBe(200)
  for (const [content, file] of [
    [svg, { name: 'me.svg', type: 'image/svg+xml' }],
    [svg, { name: 'me.png', type: 'image/png' }],
    [Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'), renamed],
    [Buffer.from('%PDF-1.7 nothing of the kind'), renamed],
    [Buffer.from('II*\0\b\0\0\0'), renamed],
  ] as const)
    expect(await upload(app, token, content, file)).toMatchObject({ status: 415, body: { code: 'picture_kind' } })
})

test('a request without a file, with an empty one or with one too large is refused', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const max = 5 * 1024 * 1024
  const padded = (size: number) => Buffer.concat([tinyPng, Buffer.alloc(size - tinyPng.length)])
  expect((await upload(app, token, padded(max))).status).toBe(200)
  expect((await upload(app, token, padded(max + 1))).status).toBe(413)
  expect((await upload(app, token, padded(3 * max))).status).toBe(413)
  expect((await upload(app, token, Buffer.alloc(0))).status).toBe(400)
  expect((await upload(app, token, tinyPng, { field: 'picture' })).status).toBe(400)
  const post = (headers: Record<string, string>, payload: string) =>
    app.inject({ method: 'POST', url: '/api/v1/users/me/avatar', headers: { ...bearer(token), ...headers }, payload })
  const form = 'multipart/form-data; boundary=x'
  const text = '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nno file\r\n--x--\r\n'
  const cut = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc'
  const odd = '--x\r\nContent-Disposition: form-data; name="__proto__"; filename="a"\r\n\r\nabc\r\n--x--\r\n'
  for (const [type, payload, status] of [
    [form, text, 400],
    [form, cut, 400],
    [form, odd, 400],
    [form, '', 400],
    ['multipart/form-data', text, 400],
    ['application/json', '{"file":"x"}', 415],
    ['image/png', 'x', 415],
  ] as const)
    expect([type, payload, (await post({ 'content-type': type }, payload)).statusCode]).toEqual([type, payload, status])
  expect((await post({}, '')).statusCode).toBe(400)
})

test('an upload without end is refused once it exceeds the limit', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const base = await app.app.fastify.listen({ host: '127.0.0.1', port: 0 })
  const max = Buffer.alloc(5 * 1024 * 1024)
  const { payload, headers } = formWith(max)
  const end = payload.length - payload.lastIndexOf('\r\n--')
  const call = request(`${base}/api/v1${uploadAvatar.path}`, {
    method: 'POST',
    headers: { ...headers, ...bearer(token) },
  })
  // Exactly the limit is read before more arrives.
  call.write(payload.subarray(0, -end), () => setTimeout(() => call.write('more'), 200))
  const [answer] = await once(call, 'response')
  expect(answer.statusCode).toBe(413)
  call.destroy()
})

test('other endpoints answer 415 to multipart forms', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const { payload, headers } = formWith(tinyPng)
  const url = '/api/v1/users/me'
  const { statusCode } = await app.inject({ method: 'PATCH', url, payload, headers: { ...headers, ...bearer(token) } })
  expect(statusCode).toBe(415)
})

test('a truncated picture and one with too many pixels are refused without much work', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const whole = await plain(300, 300).png().toBuffer()
  const cut = whole.subarray(0, whole.length - 60)
  expect(await upload(app, token, cut)).toMatchObject({ status: 400, body: { code: 'picture_broken' } })
  // 8,000 by 8,000 in some kilobytes, and a header that claims 30,000 by 30,000 without any data.
  const bomb = await plain(8000, 8000).png({ compressionLevel: 9 }).toBuffer()
  const claim = Buffer.from(tinyPng)
  claim.writeUInt32BE(30_000, 16)
  claim.writeUInt32BE(30_000, 20)
  expect(await upload(app, token, bomb)).toMatchObject({ status: 400, body: { code: 'picture_too_large' } })
  expect([400, 415]).toContain((await upload(app, token, claim)).status)
})

test('the EXIF orientation is applied, and nothing but the pixels is kept', async () => {
  await using app = await testApp()
  const { token, userId } = await bootstrapped(app)
  // Red above green as stored; after a quarter turn red is on the right.
  const green = await plain(300, 150, '#00ff00').png().toBuffer()
  const secret = 'GPS 52.5, 13.4 <script>alert(1)</script>'
  const camera = await plain(300, 300, '#ff0000')
    .composite([{ input: green, top: 150, left: 0 }])
    .withExif({ IFD0: { ImageDescription: secret } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  await upload(app, token, Buffer.concat([camera, Buffer.from('<html><script>alert(1)</script>')]))
  const { rawPayload } = await look(app, token, userId)
  expect(rawPayload.includes('script')).toBe(false)
  expect(rawPayload.includes('Exif')).toBe(false)
  const pixels = await sharp(rawPayload).raw().toBuffer({ resolveWithObject: true })
  const at = (x: number, y: number) => [...pixels.data.subarray((y * 256 + x) * pixels.info.channels).subarray(0, 2)]
  const [red, green_] = [at(220, 128), at(36, 128)]
  expect(red[0]).toBeGreaterThan(200)
  expect(green_[1]).toBeGreaterThan(200)
})

test('only the first frame of an animated picture is kept', async () => {
  await using app = await testApp()
  const { token, userId } = await bootstrapped(app)
  const frames = await Promise.all(['#ff0000', '#0000ff'].map((colour) => plain(60, 60, colour).png().toBuffer()))
  const moving = await sharp(frames, { join: { animated: true } })
    .webp({ loop: 0, delay: [100, 100] })
    .toBuffer()
  expect((await sharp(moving).metadata()).pages).toBe(2)
  expect((await upload(app, token, moving)).status).toBe(200)
  const { rawPayload } = await look(app, token, userId)
  const { pages, width } = await sharp(rawPayload).metadata()
  expect([pages ?? 1, width]).toEqual([1, 256])
})

test('pictures are resized outside of the main thread', async () => {
  await using app = await testApp()
  const { token } = await bootstrapped(app)
  const large = await plain(7000, 7000).png().toBuffer()
  const before = { all: process.cpuUsage(), here: process.threadCpuUsage() }
  const answers = await Promise.all([1, 2, 3].map(() => upload(app, token, large)))
  const [all, here] = [process.cpuUsage(before.all), process.threadCpuUsage(before.here)]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  // Other threads than the one that answers do the work.
  expect(here.user).toBeLessThan(all.user / 3)
})

test('a picture is visible to its owner and within the same tenant, and answers 404 to everybody else', async () => {
  await using app = await testApp()
  const admin = await bootstrapped(app)
  const { partnerId } = admin
  const [ours, theirs] = [
    await organizationOf(app, admin.token, 'Ours'),
    await organizationOf(app, admin.token, 'Theirs'),
  ]
  const scope = 'organization'
  const kim = await person(app, { email: 'kim@x.test', scope, orgId: ours.id, role: 'Org Viewer' })
  const lee = await person(app, { email: 'lee@x.test', scope, orgId: ours.id, role: 'Org Viewer' })
  const far = await person(app, { email: 'far@x.test', scope, orgId: theirs.id })
  const narrow = { scope: 'partner' as const, partnerId, orgAccess: 'selected' as const, orgIds: [theirs.id] }
  const selected = await person(app, { email: 'selected@x.test', ...narrow })
  const stranger = await otherCompany(app)
  for (const { token } of [admin, kim, far]) await upload(app, token, tinyPng)
  const seen = async (token: string, id: string) => (await look(app, token, id)).statusCode === 200
  expect(await seen(kim.token, kim.id)).toBe(true)
  expect(await seen(lee.token, kim.id)).toBe(true)
  expect(await seen(admin.token, kim.id)).toBe(true)
  expect(await seen(far.token, kim.id)).toBe(false)
  expect(await seen(selected.token, kim.id)).toBe(false)
  expect(await seen(selected.token, far.id)).toBe(true)
  // Members of the company see each other whatever their organizations; its customers do not see them.
  expect(await seen(selected.token, admin.userId)).toBe(true)
  expect(await seen(kim.token, admin.userId)).toBe(false)
  expect(await seen(stranger.admin.token, admin.userId)).toBe(false)
  expect((await look(app, admin.token, 'nonsense')).statusCode).toBe(404)
})

test('picture uploads are rate limited', async () => {
  await using app = await testApp({ env: { HOMEPORT_LIMIT_AVATAR_UPLOAD: '2/60' } })
  const { token } = await bootstrapped(app)
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await upload(app, token, tinyPng)).status)
  expect(statuses).toEqual([200, 200, 429])
})
