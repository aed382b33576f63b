import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openShellLog } from './shell-log.ts'

let folder: string
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'homeport-log-')), 'logs')
})
afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

const at = () => new Date('2026-03-01T08:00:00.000Z')

test('lines carry their time and follow those of earlier runs', () => {
  openShellLog(folder, at)('The server is starting.\n')
  openShellLog(folder, at)('Error: two\n  lines\n')
  expect(readFileSync(join(folder, 'desktop.log'), 'utf8')).toBe(
    '2026-03-01T08:00:00.000Z The server is starting.\n2026-03-01T08:00:00.000Z Error: two\n  lines\n',
  )
})

test('a large file is set aside once, so that the folder cannot grow without end', () => {
  const write = openShellLog(folder, at)
  for (let run = 0; run < 3; run++) {
    writeFileSync(join(folder, 'desktop.log'), 'x'.repeat(1_000_001))
    openShellLog(folder, at)
  }
  write('new')
  expect(readdirSync(folder).sort()).toEqual(['desktop.log', 'desktop.old.log'])
  expect(readFileSync(join(folder, 'desktop.log'), 'utf8')).toBe('2026-03-01T08:00:00.000Z new\n')
})
