import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually, makeFolder } from '../testing/scene.ts'
import { script } from './script.ts'

async function run(
  content: string,
  options: { timeoutSeconds?: number; signal?: AbortSignal; language?: string } = {},
) {
  const folder = await makeFolder()
  const { language = 'bash', timeoutSeconds = 20, signal = new AbortController().signal } = options
  const passedOn = { stdout: '', stderr: '' }
  const result = await script(folder).execute(
    { language, content, timeoutSeconds },
    {
      id: 'x',
      signal,
      output: (stream, text) => {
        passedOn[stream] += text
      },
      progress: () => {},
      cancel: () => false,
    },
  )
  return { result, passedOn, leftBehind: readdirSync(folder) }
}

/** A zombie counts as ended. */
const isAlive = (pid: number) => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}

test('gives output and exit code, and leaves nothing behind', async () => {
  const { result, passedOn, leftBehind } = await run('echo out; echo err >&2; echo $BASH_VERSION > kept; exit 7')
  expect(result).toMatchObject({ status: 'failed', exitCode: 7, stdout: 'out\n', stderr: 'err\n' })
  expect(passedOn).toEqual({ stdout: 'out\n', stderr: 'err\n' })
  expect(leftBehind).toEqual([])
})

test('at its timeout a script is ended together with everything it started', async () => {
  const { result } = await run('sleep 60 & echo $!; wait', { timeoutSeconds: 1 })
  expect(result).toMatchObject({ status: 'timeout', error: 'stopped after 1 seconds' })
  const child = Number(result.stdout)
  expect(child).toBeGreaterThan(1)
  await eventually(() => expect(isAlive(child)).toBe(false))
})

test('a script that ignores SIGTERM still ends at its timeout', async () => {
  const { result } = await run("trap '' TERM; echo $$; while :; do sleep 0.1; done", { timeoutSeconds: 1 })
  expect(result.status).toBe('timeout')
  const itself = Number(result.stdout)
  expect(itself).toBeGreaterThan(1)
  await eventually(() => expect(isAlive(itself)).toBe(false))
})

test('does not wait for background processes of a finished script', async () => {
  // If it did, the time would be over first.
  const { result } = await run('sleep 90 & echo done; exit 0', { timeoutSeconds: 60 })
  expect(result).toMatchObject({ status: 'completed', exitCode: 0, stdout: 'done\n' })
})

test('keeps the first million characters of the output and says that it is cut off', async () => {
  const { result, passedOn } = await run('head -c 5000000 /dev/zero | tr "\\0" x')
  expect(result.status).toBe('completed')
  expect(passedOn.stdout).toHaveLength(1_000_000)
  expect(result.stdout).toContain('[output cut off after 1000000 characters]')
  expect(result.stdout?.length).toBeLessThan(1_000_100)
})

test('invalid UTF-8 and characters split by the pipe become valid text', async () => {
  const { result } = await run("printf '\\303'; sleep 0.2; printf '\\244 \\377'")
  expect(result.stdout).toBe('ä \uFFFD')
})

test('a missing interpreter is named', async () => {
  const { result } = await run('Get-Date', { language: 'powershell' })
  expect(result).toMatchObject({ status: 'failed', error: 'pwsh is not installed on this device' })
})
