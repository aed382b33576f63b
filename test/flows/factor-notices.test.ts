import { expect, test } from 'vitest'
import { mfaDisable, mfaEnable, mfaSetup, rotateRecoveryCodes } from '../../shared/api/mfa.ts'
import { resetUserMfa } from '../../shared/api/people.ts'
import { bootstrapped, password, person } from '../helpers/factories.ts'
import { mailsOf, mailToFiles } from '../helpers/mail.ts'
import { testApp } from '../helpers/test-app.ts'
import { codeOf, signedInJar, withFactor } from './kit.ts'

test('every change of factors is mailed to the owner, a refused one is not', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const { jar, token } = await signedInJar(app, admin.email, password)
  const { body: setup } = await app.call(mfaSetup, {}, { token })
  expect((await app.call(mfaEnable, { body: { code: '000000' } }, { token })).status).toBe(400)
  expect(await mailsOf(app)).toEqual([])
  const enabled = await app.call(mfaEnable, { body: { code: codeOf(app, setup.secret) } }, { token })
  jar.take(enabled)
  await app.call(rotateRecoveryCodes, { body: {} }, { token })
  app.clock.advance(60_000)
  const refused = { currentPassword: 'Wrong-horse-1', code: codeOf(app, setup.secret) }
  expect((await app.call(mfaDisable, { body: refused }, { token, headers: { cookie: jar.header } })).status).toBe(400)
  const mails = await mailsOf(app)
  expect(mails.map(({ kind, to }) => [kind, to])).toEqual(Array(2).fill(['factors-changed', admin.email]))
  expect(mails[0]?.text).toContain('An authenticator app was added')
  expect(mails[1]?.text).toContain('New recovery codes were created')
})

test('a user whose factors an administrator removes gets a mail', async () => {
  await using app = await testApp({ env: mailToFiles })
  const admin = await bootstrapped(app)
  const { token } = await signedInJar(app, admin.email, password)
  await withFactor(app, token)
  const mia = await person(app, { email: 'mia@acme.test', scope: 'partner', partnerId: admin.partnerId })
  await withFactor(app, mia.token)
  expect((await app.call(resetUserMfa, { params: { id: mia.id } }, { token })).status).toBe(200)
  const [last] = (await mailsOf(app)).slice(-1)
  expect([last?.kind, last?.to]).toEqual(['factors-changed', mia.email])
  expect(last?.text).toContain('An administrator removed every second factor')
})
