import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { channels, type TrustFile } from '../../shared/bridge.ts'
import { eventually } from '../helpers/eventually.ts'
import * as electron from './fake-electron.ts'
import { isAlive } from './fork-server.ts'

/** Runs `main/index.ts` from start to quit; each test continues where the one before ended. */

/** There is no Electron here. */
const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: new URL('fake-electron.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
})

const { app, BrowserWindow, handlers, servers, Tray } = electron
const folder = mkdtempSync(join(tmpdir(), 'homeport-shell-'))
const logs = join(folder, 'data/logs')
const theWindow = () => {
  const [window] = BrowserWindow.all
  if (!window) throw new Error('no window')
  return window
}
const call = (channel: string, ...args: unknown[]) =>
  handlers.get(channel)?.({ senderFrame: theWindow().webContents.mainFrame }, ...args)
const readyTimes = (times: number) =>
  eventually(() =>
    expect(readFileSync(join(logs, 'desktop.log'), 'utf8').match(/The server is ready/g)).toHaveLength(times),
  )

beforeAll(async () => {
  vi.stubEnv('HOMEPORT_DATA_DIR', join(folder, 'data'))
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'config'))
  app.setPath('appData', folder)
  await import('../../main/index.ts')
  await readyTimes(1)
})
afterAll(() => {
  for (const { child } of servers.splice(0)) child.kill('SIGKILL')
  vi.unstubAllEnvs()
  hooks.deregister()
  rmSync(folder, { recursive: true })
})

test('the window shows a page of its own while it waits, then the console', () => {
  expect(theWindow().visited.map((url) => url.slice(0, 22))).toEqual([
    'data:text/html;charset',
    'https://localhost:8443',
  ])
  expect(theWindow().isVisible).toBe(true)
  expect(theWindow().options.webPreferences.preload).toBe(join(import.meta.dirname, '../../main/preload.cjs'))
  expect(electron.problems).toEqual([])
})

test('the server runs beside the shell, exposed, in the data folder, without a key where there is no keychain', () => {
  expect(servers[0]?.entry).toBe(join(import.meta.dirname, '../../server/index.js'))
  expect(servers[0]?.env).toMatchObject({ HOMEPORT_DATA_DIR: join(folder, 'data'), HOMEPORT_HOST: '0.0.0.0' })
  expect(servers[0]?.env).not.toHaveProperty('HOMEPORT_KEYRING_KEY')
})

test('the tray shows that the server runs', () => {
  expect(Tray.menu[0]?.label).toBe('Homeport is running')
})

test('a second start brings the window to the front', () => {
  theWindow().hide()
  app.emit('second-instance')
  expect(theWindow().isVisible).toBe(true)
})

test('closing the window keeps the server running, and saves the size of the window', () => {
  expect(theWindow().close()).toBe(false)
  expect(theWindow().isVisible).toBe(false)
  expect(isAlive(servers[0]?.child.pid)).toBe(true)
  expect(JSON.parse(readFileSync(join(folder, 'homeport-desktop/settings.json'), 'utf8')).window.bounds.width).toBe(
    1000,
  )
})

test('the console opens the folders', async () => {
  await call(channels.openLogs)
  await call(channels.openDataFolder)
  expect(electron.opened).toEqual([logs, join(folder, 'data')])
})

test('signing in at an identity provider goes on in the system browser, at the address for browsers', () => {
  electron.opened.length = 0
  const event = { url: 'https://localhost:8443/api/v1/sso/login/partner/1', isMainFrame: true, preventDefault: vi.fn() }
  theWindow().webContents.emit('will-frame-navigate', event)
  expect(event.preventDefault).toHaveBeenCalled()
  expect(electron.opened).toEqual(['https://box.local:8443/api/v1/sso/login/partner/1'])
})

test('the console saves a trusted identity provider once the person at the machine consents', async () => {
  const { version } = (await call(channels.readTrust)) as TrustFile
  const document = { version: 1, hosts: [{ host: 'idp.corp.lan', addresses: ['10.20.0.15/32'] }] }
  expect(await call(channels.saveTrust, document, version)).toEqual({ outcome: 'dismissed' })
  electron.person.consents = true
  expect(await call(channels.saveTrust, document, version)).toEqual({ outcome: 'saved' })
  await readyTimes(2)
  expect(((await call(channels.readTrust)) as TrustFile).trust.hosts).toMatchObject([
    { host: 'idp.corp.lan', error: null },
  ])
  expect(await call(channels.importAuthority)).toBeNull()
})

test('taking the appliance off the network restarts the server, keeps the page and notifies the console', async () => {
  await call(channels.setExposeOnLan, false)
  await readyTimes(3)
  expect(servers.map(({ env }) => env.HOMEPORT_HOST)).toEqual(['0.0.0.0', '0.0.0.0', '127.0.0.1'])
  expect(servers.map(({ child }) => isAlive(child.pid))).toEqual([false, false, true])
  expect(theWindow().visited).toHaveLength(2)
  expect(theWindow().webContents.sent.at(-1)).toEqual([
    channels.state,
    expect.objectContaining({ server: 'ready', isExposedOnLan: false }),
  ])
})

test.runIf(process.platform === 'linux')('the console switches start at login', async () => {
  await call(channels.setStartAtLogin, true)
  expect(existsSync(join(folder, 'config/autostart/homeport.desktop'))).toBe(true)
  expect(await call(channels.getState)).toMatchObject({ startsAtLogin: true })
})

test('a console that cannot be loaded shows the error, and is loaded again after a restart of the server', async () => {
  theWindow().webContents.emit('did-fail-load', {}, -102, 'ERR_CONNECTION_REFUSED', '', true)
  expect(decodeURIComponent(theWindow().visited.at(-1) ?? '')).toContain('ERR_CONNECTION_REFUSED')
  Tray.menu.find(({ label }) => label === 'Restart server')?.click?.(...([] as unknown as [never, never, never]))
  await readyTimes(4)
  expect(theWindow().visited.at(-1)).toBe('https://localhost:8443')
})

test('quitting stops the server first', async () => {
  app.quit()
  expect(app.hasQuit).toBe(false)
  await expect.poll(() => app.hasQuit).toBe(true)
  expect(servers.some(({ child }) => isAlive(child.pid))).toBe(false)
  expect(theWindow().close()).toBe(true)
})
