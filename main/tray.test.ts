import type { MenuItemConstructorOptions } from 'electron'
import { expect, test } from 'vitest'
import type { DesktopState } from '../shared/bridge.ts'
import { type Actions, followLocalLink } from './actions.ts'
import { applicationMenu } from './menu.ts'
import { trayMenu, trayTooltip } from './tray.ts'

const running: DesktopState = {
  server: 'ready',
  addresses: ['https://box.local:8443', 'https://192.168.1.20:8443'],
  isExposedOnLan: true,
  startsAtLogin: false,
}

function recordedActions() {
  const log: unknown[][] = []
  const actions = new Proxy({} as Actions, {
    get:
      (_target, name) =>
      (...args: unknown[]) =>
        log.push([name, ...args]),
  })
  return { log, actions }
}

const click = ({ click }: MenuItemConstructorOptions) => (click as () => void)()
const labelled = (items: MenuItemConstructorOptions[], label: string) => {
  const found = items.find((item) => item.label === label)
  if (!found) throw new Error(`no item "${label}"`)
  return found
}

test('a running appliance shows its addresses and switches', () => {
  const items = trayMenu(running, recordedActions().actions)
  expect(
    items.map(({ label, type, checked }) => (checked === undefined ? (label ?? type) : `${label}: ${checked}`)),
  ).toEqual([
    'Homeport is running',
    'Open console',
    'separator',
    'Copy address',
    'Reachable from the network: true',
    'Start at login: false',
    'separator',
    'Open logs',
    'Open data folder',
    'Restart server',
    'separator',
    'Quit Homeport',
  ])
})

test('every item of the menu triggers its action', () => {
  const { log, actions } = recordedActions()
  const items = trayMenu(running, actions)
  const addresses = labelled(items, 'Copy address').submenu as MenuItemConstructorOptions[]
  expect(addresses.map(({ label }) => label)).toEqual(running.addresses)
  click(labelled(addresses, 'https://192.168.1.20:8443'))
  for (const item of items) if (item.click) click(item)
  expect(log).toEqual([
    ['copy', 'https://192.168.1.20:8443'],
    ['openConsole'],
    ['setExposeOnLan', false],
    ['setStartAtLogin', true],
    ['openLogs'],
    ['openDataFolder'],
    ['restartServer'],
    ['quit'],
  ])
})

test('a failing server shows its error, shortened, and offers no address', () => {
  const state: DesktopState = { ...running, server: 'restarting', addresses: [], lastError: 'x'.repeat(300) }
  const items = trayMenu(state, recordedActions().actions)
  expect(items[1]).toEqual({ label: `${'x'.repeat(79)}…`, enabled: false })
  expect(items.some(({ label }) => label === 'Copy address')).toBe(false)
  expect(trayTooltip(state)).toBe('Homeport stopped and will be started again')
})

test('nothing can be restarted while quitting', () => {
  const items = trayMenu({ ...running, server: 'stopped' }, recordedActions().actions)
  expect(labelled(items, 'Restart server').enabled).toBe(false)
})

test('the application menu keeps the editing shortcuts, and quits outside macOS', () => {
  const { actions } = recordedActions()
  const quits = (platform: NodeJS.Platform) =>
    JSON.stringify(applicationMenu(platform, actions)).includes('Quit Homeport')
  expect(applicationMenu('linux', actions).some(({ role }) => role === 'editMenu')).toBe(true)
  expect(applicationMenu('darwin', actions)[0]).toEqual({ role: 'appMenu' })
  expect([quits('linux'), quits('win32'), quits('darwin')]).toEqual([true, true, false])
})

test('local links can only restart the server and open its two folders', () => {
  const { log, actions } = recordedActions()
  for (const link of ['restart-server', 'open-logs', 'open-data-folder', 'quit', 'copy', ''])
    followLocalLink(link, actions)
  expect(log).toEqual([['restartServer'], ['openLogs'], ['openDataFolder']])
})
