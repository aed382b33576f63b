import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { sampleAdmin } from '../../server/admin/samples/company.ts'
import { sharedBrowser } from '../helpers/chromium.ts'
import { serveHere } from '../helpers/in-process-appliance.ts'
import { startProcess } from '../helpers/real-appliance.ts'
import { enter, wideLimits } from './company.ts'
import { leaveAll, openPage, portOfWorker } from './context.ts'
import { isHome } from './navigation.ts'

export interface SampleCompany extends AsyncDisposable {
  origin: string
  /** The page of the administrator, signed in, at Home. */
  page: Page
  /** The same in another browser. */
  openAnother(): Promise<Page>
  stop(): Promise<unknown>
  /** Starts again at the same address. */
  start(): Promise<void>
}

/** A real appliance with the sample company on it, as `npm run dev` shows it, and a real Chromium before it. */
export async function startSamples(): Promise<SampleCompany> {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeport-samples-'))
  let server = await serveHere(dataDir, { HOMEPORT_PORT: await portOfWorker(), ...wideLimits })
  const origin = `http://localhost:${server.port}`
  await startProcess('server/admin/index.ts', ['seed-samples'], { HOMEPORT_DATA_DIR: dataDir }).saying('Sign in as')
  const openSignedIn = async () => {
    const page = await openPage(await sharedBrowser(), origin)
    await enter(page, sampleAdmin.email, sampleAdmin.password)
    await page.waitForURL(isHome)
    return page
  }
  const page = await openSignedIn()
  return {
    origin,
    page,
    openAnother: openSignedIn,
    stop: () => server.stop(),
    start: async () => {
      server = await serveHere(dataDir, { HOMEPORT_PORT: String(server.port), ...wideLimits })
    },
    [Symbol.asyncDispose]: async () => {
      await leaveAll(await sharedBrowser())
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
