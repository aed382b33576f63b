import { expect, test } from 'vitest'
import { otherCompany } from '../helpers/factories.ts'
import { auditOf, setPartner } from '../helpers/rows.ts'
import { answer, platform } from './partner-kit.ts'

test('the email signature is stored as written, and a blank one is cleared', async () => {
  await using scene = await platform()
  const { patchOwn, readOwn } = scene
  const emailSignature = '  Regards\n\tAcme — "Support"  '
  expect((await patchOwn({ emailSignature })).body).toMatchObject({ emailSignature })
  for (const none of ['', ' \n ', null]) {
    await patchOwn({ emailSignature: 'x'.repeat(2000) })
    expect((await patchOwn({ emailSignature: none })).body.emailSignature).toBe(null)
  }
  for (const wrong of ['x'.repeat(2001), 'a\u0000b', 7, []])
    expect((await patchOwn({ emailSignature: wrong })).status).toBe(400)
  expect((await readOwn()).body.emailSignature).toBe(null)
})

test('the local part of the inbound address is one label and not a reserved name', async () => {
  await using scene = await platform()
  const { app, patchOwn, readOwn } = scene
  for (const inboundLocalPart of ['a', '7', 'acme-help-2', 'a'.repeat(63), 'a--b'])
    expect((await patchOwn({ inboundLocalPart })).body).toMatchObject({ inboundLocalPart })
  const shape = 'An inbound address takes lowercase letters, digits and hyphens between them, at most 63'
  for (const inboundLocalPart of ['', ' ', 'Help', '-a', 'a-', '-', 'a.b', 'a b', 'a@b', 'ä', 'a\n', 'a'.repeat(64)])
    expect(answer(await patchOwn({ name: 'Other', inboundLocalPart })), inboundLocalPart).toEqual([422, shape])
  for (const inboundLocalPart of ['postmaster', 'abuse', 'noreply', 'no-reply', 'mailer-daemon', 'webmaster'])
    expect(answer(await patchOwn({ inboundLocalPart }))).toEqual([422, 'That inbound address is reserved'])
  for (const inboundLocalPart of [7, [], {}, true]) expect((await patchOwn({ inboundLocalPart })).status).toBe(400)
  expect((await readOwn()).body).toMatchObject({ name: 'Acme', inboundLocalPart: 'a--b' })
  expect((await patchOwn({ inboundLocalPart: null })).body.inboundLocalPart).toBe(null)
  expect(auditOf(app, 'partner.settings.update').at(-1)?.details).toEqual({
    changedFields: ['inboundLocalPart'],
    before: { inboundLocalPart: 'a--b' },
    after: { inboundLocalPart: null },
  })
})

test('a local part used by another active partner, also as its slug, answers 409', async () => {
  await using scene = await platform()
  const { app, patchOwn } = scene
  const other = await otherCompany(app)
  setPartner(app, other.partnerId, { slug: 'Umbrella', inbound_local_part: 'rain' })
  const taken = [409, 'That inbound address is already in use']
  for (const inboundLocalPart of ['umbrella', 'rain'])
    expect(answer(await patchOwn({ inboundLocalPart }))).toEqual(taken)
  expect((await patchOwn({ inboundLocalPart: 'acme' })).status, 'its own slug').toBe(200)
  expect((await patchOwn({ inboundLocalPart: 'acme' })).status, 'once more').toBe(200)
  setPartner(app, other.partnerId, { deleted_at: '2026-03-01T09:00:00.000Z' })
  expect((await patchOwn({ inboundLocalPart: 'rain' })).body.inboundLocalPart).toBe('rain')
})
