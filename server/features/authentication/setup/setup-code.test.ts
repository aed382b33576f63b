import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../../test/helpers/fake-clock.ts'
import { freshDatabase } from '../../../../test/helpers/test-app.ts'
import { RateLimits } from '../../../platform/rate-limit.ts'
import { SetupCode } from './setup-code.ts'

let dir: string
let told: string[]
let setup: SetupCode
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'homeport-setup-'))
  told = []
  setup = new SetupCode(dir, new RateLimits(freshDatabase(), new FakeClock()), (code) => told.push(code))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const file = () => join(dir, 'setup-code')
const refused = expect.objectContaining({ code: 'setup_code_invalid' }) as unknown as Error

test('the setup code is generated once, stored readable by its owner only, and survives a restart', () => {
  const code = setup.current()
  expect(code).toMatch(/^[A-HJ-NP-Z2-9]{4}(-[A-HJ-NP-Z2-9]{4}){3}$/)
  expect(setup.current()).toBe(code)
  expect(readFileSync(file(), 'utf8')).toBe(`${code}\n`)
  if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600)
  const restarted = new SetupCode(dir, new RateLimits(freshDatabase(), new FakeClock()), () => {})
  expect(restarted.current()).toBe(code)
  expect(told).toEqual([])
})

test('the setup code is accepted in lower case, without dashes and with spaces', () => {
  const code = setup.current()
  for (const typed of [code, code.toLowerCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')} `])
    expect(() => setup.assertMatches(typed)).not.toThrow()
})

test('after five wrong setup codes a new code is generated and passed to onNew', () => {
  const first = setup.current()
  for (let n = 0; n < 4; n++) expect(() => setup.assertMatches('WRONG')).toThrow(refused)
  expect(setup.current()).toBe(first)
  expect(() => setup.assertMatches('WRONG')).toThrow(refused)
  const second = setup.current()
  expect(second).not.toBe(first)
  expect(told).toEqual([second])
  expect(() => setup.assertMatches(first)).toThrow(refused)
  for (let n = 0; n < 3; n++) expect(() => setup.assertMatches('WRONG')).toThrow(refused)
  expect(() => setup.assertMatches(second)).not.toThrow()
})

test('with an empty or damaged code file, empty codes are refused and a new code is generated', () => {
  for (const damaged of ['', '\n', '----\n']) {
    writeFileSync(file(), damaged)
    for (const given of ['', ' ', '-', '----']) expect(() => setup.assertMatches(given)).toThrow(refused)
  }
  expect(setup.current()).toMatch(/^\w{4}-/)
})
