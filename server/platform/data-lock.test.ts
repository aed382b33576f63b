import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockDataDir } from './data-lock.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'homeport-lock-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

/** Another process that locks the folder and keeps it locked. */
async function lockedElsewhere(dir: string) {
  const code = `import { lockDataDir } from ${JSON.stringify(join(import.meta.dirname, 'data-lock.ts'))}
    lockDataDir(${JSON.stringify(dir)}, 'serve').servesAt('https://box.local:8443')
    console.log('locked')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

test('a second Homeport is refused with the process id, start time, address and stop command of the first', async () => {
  const dir = folder()
  const { pid } = await lockedElsewhere(dir)
  expect(() => lockDataDir(dir, 'serve')).toThrow(
    new RegExp(
      `^Another Homeport is running on ${dir}: process ${pid}, since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC, at https://box\\.local:8443\\.\\n` +
        `Stop it first: with Ctrl\\+C in its terminal, or "(kill|taskkill /F /PID) ${pid}"; a service`,
    ),
  )
  expect(() => lockDataDir(dir, 'restore')).toThrow(`process ${pid}`)
})

test('a lock left behind by a killed process does not block the next start', async () => {
  const dir = folder()
  const child = await lockedElsewhere(dir)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(readdirSync(dir)).toContain('lock.json')
  const lock = lockDataDir(dir, 'serve')
  expect(() => lockDataDir(dir, 'serve')).toThrow(`process ${process.pid}`)
  lock.release()
  expect(readdirSync(dir)).toEqual(['lock.db'])
  lockDataDir(dir, 'serve').release()
})

test('during a restore the refusal says that a backup is being restored', () => {
  const dir = folder()
  const lock = lockDataDir(dir, 'restore')
  onTestFinished(() => lock.release())
  expect(() => lockDataDir(dir, 'serve')).toThrow(
    new RegExp(
      `^A backup is being restored into ${dir} \\(process ${process.pid}, since .* UTC\\); wait until it is done`,
    ),
  )
})

test.each([
  ['nothing', ''],
  ['a dead process', JSON.stringify({ pid: 2 ** 22 + 1, purpose: 'serve', since: '2026-11-22T11:04:12.000Z' })],
  ['something else', '{"pid":"all of them"}'],
])('a lock note about %s is ignored, and the refusal names no process', (_, note) => {
  const dir = folder()
  const lock = lockDataDir(dir, 'serve')
  onTestFinished(() => lock.release())
  writeFileSync(join(dir, 'lock.json'), note)
  expect(() => lockDataDir(dir, 'serve')).toThrow(new Error(`Another Homeport is running on ${dir}; stop it first`))
})
