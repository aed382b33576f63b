import { randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright'
import { Database } from '../../server/db/database.ts'
import { q } from '../../server/db/query.ts'
import { findBuiltInRole } from '../../server/features/access/index.ts'
import { hashPassword } from '../../server/features/authentication/index.ts'
import { sharedBrowser } from '../helpers/chromium.ts'
import { serveHere } from '../helpers/in-process-appliance.ts'
import { leaveAll, openPage, portOfWorker, sendHeaders } from './context.ts'

export const password = 'Correct1Horse'
export const ada = { name: 'Ada Admin', email: 'ada@northwind.test' }

/** Replaces the limits of the appliance: a test does in a minute what people do in a week. */
export const wideLimits = Object.fromEntries(
  ['GLOBAL', 'LOGIN_IP', 'LOGIN_EMAIL', 'MFA_VERIFY', 'MFA_SETUP', 'STEP_UP', 'CURRENT_PASSWORD'].map((name) => [
    `HOMEPORT_LIMIT_${name}`,
    '0/60',
  ]),
)

interface Hired {
  name: string
  email: string
  role?: string
  /** Which organizations they see; all by default. */
  orgAccess?: 'all' | 'none'
}

export interface Company extends AsyncDisposable {
  dataDir: string
  origin: string
  partnerId: string
  /** The origin of the appliance as `http://127.0.0.1:…`, where browsers make no passkeys. */
  numericOrigin: string
  db: Database
  /** Adds a member of the company straight to the tables, for tests that are not about invitations. */
  hire(who: Hired): Promise<string>
  /** A browser of one's own, in which nobody is signed in. */
  visit(): Promise<Page>
  /**
   * The same, signed in without the sign-in page and opened at `path`, if given; `headers` are what a proxy in between
   * would add.
   */
  signIn(email: string, path?: string | null, headers?: Record<string, string>): Promise<Page>
  /** Lets a quarter of an hour pass for all sessions, so that none has shown a factor recently. */
  age(): void
  /** Script errors and content policy violations of any page. */
  complaints: string[]
}

/** A real appliance with a company whose administrator is Ada, and a real Chromium. */
export async function startCompany(
  env: Record<string, string> = {},
  browsing?: BrowserContextOptions,
  releaseKey?: string,
): Promise<Company> {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-company-'))
  const server = await serveHere(dataDir, { HOMEPORT_PORT: await portOfWorker(), ...wideLimits, ...env }, releaseKey)
  const origin = `http://localhost:${server.port}`
  const partnerId = await bootstrap(origin, server.app.bootstrap.setupCode())
  const db = new Database({ file: join(dataDir, 'homeport.db') })
  const browser = await sharedBrowser()
  const complaints: string[] = []
  const visit = async (): Promise<Page> => {
    const page = await openPage(browser, origin, browsing)
    page.context().on('weberror', (error) => complaints.push(String(error.error())))
    page.context().on('console', (message) => {
      // Some steps expect a refused call; a blocked resource or a policy violation is never expected.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text())
    })
    return page
  }
  return {
    dataDir,
    origin,
    partnerId,
    numericOrigin: `http://127.0.0.1:${server.port}`,
    db,
    complaints,
    hire: (who) => hire(db, partnerId, who),
    visit,
    signIn: async (email, path = '/', headers) => {
      const page = await visit()
      if (headers) await sendHeaders(page, headers)
      const answer = await page.request.post('/api/v1/auth/login', { data: { email, password } })
      if (!answer.ok()) throw new Error(`${email} was not signed in: ${await answer.text()}`)
      if (path) await page.goto(path)
      if (path === '/') await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
      return page
    },
    age: () => {
      db.run(q.updateTable('sessions').set({ auth_at: longAgo }))
      db.run(q.updateTable('sessions').set({ mfa_at: longAgo }).where('mfa_at', 'is not', null))
    },
    [Symbol.asyncDispose]: async () => {
      await leaveAll(browser)
      db.close()
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const longAgo = '2020-01-01T00:00:00.000Z'

/** Fills in the first page of the sign-in. */
export async function enter(page: Page, email: string, secret = password, origin = '') {
  await page.goto(`${origin}/login`)
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(secret)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Confirms the identity of a user without a second factor by enrolling a passkey; needs a `virtualAuthenticator`. */
export async function enrolPasskey(page: Page) {
  const check = page.getByRole('dialog', { name: /^(Set up two-factor authentication|Confirm it’s you)$/ })
  await check.getByRole('button', { name: /^Passkey/ }).click()
  await check.getByRole('button', { name: 'Create passkey' }).click()
  await check.getByLabel('Password', { exact: true }).fill(password)
  await check.getByRole('button', { name: 'Continue' }).click()
  await check.getByLabel('I’ve saved these codes').check()
  await check.getByRole('button', { name: 'Continue' }).click()
}

async function bootstrap(origin: string, setupCode: string | null): Promise<string> {
  const call = async (path: string, body: object, token = '') => {
    const response = await fetch(`${origin}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return response.json() as Promise<{ partner: { id: string }; tokens: { accessToken: string } }>
  }
  const made = await call('/system/bootstrap', { ...ada, password, setupCode, companyName: 'Northwind Traders' })
  await call('/system/setup-complete', {}, made.tokens.accessToken)
  return made.partner.id
}

let passwordHash: Promise<string> | null = null

async function hire(db: Database, partnerId: string, who: Hired) {
  passwordHash ??= hashPassword(password)
  const hash = await passwordHash
  const now = new Date().toISOString()
  const id = randomUUIDv7()
  const user = { id, email: who.email, name: who.name, password_hash: hash, status: 'active' as const }
  db.transaction(() => {
    db.run(q.insertInto('users').values({ ...user, email_verified_at: now, created_at: now, updated_at: now }))
    db.run(
      q.insertInto('partner_users').values({
        id: randomUUIDv7(),
        partner_id: partnerId,
        user_id: id,
        role_id: findBuiltInRole(db, who.role ?? 'Partner Admin', 'partner') as string,
        org_access: who.orgAccess ?? 'all',
        created_at: now,
      }),
    )
  })
  return id
}
