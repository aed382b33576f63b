import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoginItemSettings } from 'electron'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { autostartEntry, desktopEntry, loginItem } from './auto-launch.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'homeport-autostart-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('on Linux an autostart entry is written and deleted', () => {
  const file = join(folder, 'autostart/homeport.desktop')
  const autoLaunch = autostartEntry(file, ['/opt/Homeport/homeport'])
  expect(autoLaunch.isEnabled()).toBe(false)
  autoLaunch.set(true)
  expect(autoLaunch.isEnabled()).toBe(true)
  expect(readFileSync(file, 'utf8')).toContain('\nExec="/opt/Homeport/homeport" "--hidden"\n')
  autoLaunch.set(false)
  autoLaunch.set(false)
  expect(autoLaunch.isEnabled()).toBe(false)
})

const tick = '`'

test('unusual characters in the program’s path are quoted as the Desktop Entry Specification asks', () => {
  const entry = desktopEntry(['/home/ann/My "Apps"/100%/$x`y\\z'])
  expect(entry).toContain(String.raw`Exec="/home/ann/My \\"Apps\\"/100%%/\\$x\\${tick}y\\\\z"`)
})

test('on other systems the login item is set and read with the same arguments', () => {
  const calls: unknown[] = []
  const autoLaunch = loginItem({
    setLoginItemSettings: (settings) => void calls.push(settings),
    getLoginItemSettings: (options) => {
      calls.push(options)
      return { openAtLogin: true } as LoginItemSettings
    },
  })
  autoLaunch.set(true)
  expect(autoLaunch.isEnabled()).toBe(true)
  expect(calls).toEqual([{ openAtLogin: true, args: ['--hidden'] }, { args: ['--hidden'] }])
})
