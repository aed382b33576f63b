import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Appliance } from '../../server/appliance.ts'
import { sharedBrowser } from '../helpers/chromium.ts'
import { serveHere } from '../helpers/in-process-appliance.ts'
import { virtualAuthenticator } from '../helpers/virtual-authenticator.ts'
import { openContext } from './context.ts'

/** Our passkey ceremonies in a real browser, without a library in between: options in, credential out. */

const workDir = mkdtempSync(join(tmpdir(), 'homeport-passkeys-'))
const secret = 'Correct1Horse'
let server: Appliance
let page: Page

beforeAll(async () => {
  server = await serveHere(join(workDir, 'data'))
  page = await (await openContext(await sharedBrowser())).newPage()
  // A page of the origin with no script of its own.
  await page.goto(`http://localhost:${server.port}/api/v1/health`)
})

afterAll(async () => {
  await page?.context().close()
  await server?.stop()
  rmSync(workDir, { recursive: true, force: true })
})

interface Answer {
  status: number
  body: Record<string, unknown> & { tokens?: { accessToken: string }; options?: object; code?: string }
}

/** The page calls the API. */
const call = (path: string, body?: object, token?: string): Promise<Answer> =>
  page.evaluate(
    async ({ path, body, token }) => {
      const response = await fetch(`/api/v1${path}`, {
        method: 'POST',
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(token && { authorization: `Bearer ${token}` }),
        },
        body: body ? JSON.stringify(body) : null,
      })
      return { status: response.status, body: await response.json() }
    },
    { path, body, token },
  )

/** The browser makes a passkey, or signs with one. */
const ceremony = (kind: 'create' | 'get', options: object | undefined): Promise<object> =>
  page.evaluate(
    async ({ kind, options }) => {
      const credential =
        kind === 'create'
          ? await navigator.credentials.create({
              publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
                options as PublicKeyCredentialCreationOptionsJSON,
              ),
            })
          : await navigator.credentials.get({
              publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
                options as PublicKeyCredentialRequestOptionsJSON,
              ),
            })
      return (credential as PublicKeyCredential).toJSON()
    },
    { kind, options },
  )

test('Chromium makes a passkey with our options, signs in with it alone, and answers the second step', async () => {
  await using device = await virtualAuthenticator(page)
  const setupCode = server.app.bootstrap.setupCode()
  const email = 'ada@northwind.test'
  const owner = { setupCode, companyName: 'Northwind Traders', name: 'Ada Admin', email, password: secret }
  const { body: admin } = await call('/system/bootstrap', owner)
  const token = admin.tokens?.accessToken

  const asked = await call('/auth/passkeys/register/options', { currentPassword: secret, name: 'Laptop' }, token)
  expect(asked.status).toBe(200)
  const made = await ceremony('create', asked.body.options)
  const saved = await call('/auth/passkeys/register/verify', { credential: made }, token)
  expect(saved.body).toMatchObject({ success: true, passkey: { name: 'Laptop', rpId: 'localhost' } })
  expect(saved.body.recoveryCodes).toHaveLength(10)
  expect(await device.credentialIds()).toHaveLength(1)

  const again = await call('/auth/passkeys/register/options', { currentPassword: secret }, token)
  await expect(ceremony('create', again.body.options), 'one for each device').rejects.toThrow('InvalidStateError')

  const open = await call('/auth/passkeys/login/options')
  const alone = await ceremony('get', open.body.options)
  const signedIn = await call('/auth/passkeys/login/verify', { credential: alone })
  expect(signedIn).toMatchObject({ status: 200, body: { mfaRequired: false, user: { email } } })
  expect((await page.context().cookies()).map(({ name }) => name)).toContain('svc_refresh_token')
  expect((await call('/auth/passkeys/login/verify', { credential: alone })).status, 'a replay').toBe(401)

  const { body: challenge } = await call('/auth/login', { email, password: secret })
  expect(challenge).toMatchObject({ mfaRequired: true, passkeyAvailable: true })
  const { tempToken } = challenge
  const { body: step } = await call('/auth/mfa/passkey/options', { tempToken })
  const credential = await ceremony('get', step.options)
  const done = await call('/auth/mfa/passkey/verify', { tempToken, credential })
  expect(done).toMatchObject({ status: 200, body: { user: { email, mfaEnabled: true } } })

  await device.setUserVerified(false)
  const { body: unverified } = await call('/auth/passkeys/login/options')
  await expect(ceremony('get', unverified.options), 'nobody but the owner').rejects.toThrow('NotAllowedError')
})
