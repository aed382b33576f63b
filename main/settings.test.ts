import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSettings } from './settings.ts'

let folder: string
const file = () => join(folder, 'deep/settings.json')
const window = { bounds: { x: 10, y: -20, width: 900, height: 700 }, isMaximized: true }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'homeport-settings-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('without a settings file the appliance is exposed on the LAN', () => {
  expect(openSettings(file()).get()).toEqual({ exposeOnLan: true })
})

test('a changed setting survives a restart of the shell and leaves the rest alone', () => {
  openSettings(file()).change({ window })
  openSettings(file()).change({ exposeOnLan: false })
  expect(openSettings(file()).get()).toEqual({ exposeOnLan: false, window })
})

test('the settings file is replaced whole and readable by its owner only', () => {
  const settings = openSettings(file())
  settings.change({ exposeOnLan: false })
  settings.change({ exposeOnLan: true })
  expect(readdirSync(join(folder, 'deep'))).toEqual(['settings.json'])
  if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600)
})

test.each(['', '{"exposeOnLan": fal', 'null', '[]', '"text"'])('a corrupt file (%j) means defaults', (content) => {
  openSettings(file()).change({ exposeOnLan: false })
  writeFileSync(file(), content)
  const settings = openSettings(file())
  expect(settings.get()).toEqual({ exposeOnLan: true })
  settings.change({ window })
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ exposeOnLan: true, window })
})

test('one invalid value does not reset the others', () => {
  openSettings(file()).change({ window })
  writeFileSync(file(), JSON.stringify({ exposeOnLan: false, window: { bounds: { x: 'left' } } }))
  expect(openSettings(file()).get()).toEqual({ exposeOnLan: false })
  writeFileSync(file(), JSON.stringify({ exposeOnLan: 'yes', window }))
  expect(openSettings(file()).get()).toEqual({ exposeOnLan: true, window })
})
