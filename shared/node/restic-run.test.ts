import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reasonFrom, refusalOf, withoutCredentials } from './restic-refusals.ts'
import { helperLog, runRestic } from './restic-run.ts'

/** A program in the place of restic writes down how it was started, with what its files held. */
function recorder(then = '') {
  const folder = mkdtempSync(join(tmpdir(), 'homeport, "odd"-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'restic')
  writeFileSync(
    file,
    `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs')
const { env, argv } = process
const held = (name) => readFileSync(env[name], 'utf8')
writeFileSync(${JSON.stringify(join(folder, 'seen.json'))}, JSON.stringify({
  args: argv.slice(2), env, password: held('RESTIC_PASSWORD_FILE'), url: held('RESTIC_REPOSITORY_FILE'),
  key: 'KEY_FILE' in env ? held('KEY_FILE') : null,
}))
${then}`,
    { mode: 0o755 },
  )
  const run = (more: object = {}, signal = new AbortController().signal) =>
    runRestic(
      { file, folder: join(folder, 'runs'), cacheFolder: null },
      { url: 'rest:http://u:top@nas/', password: 'secret', env: {}, options: [], ...more },
      ['cat', 'config'],
      signal,
    )
  const seen = () => JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8'))
  return { folder, run, seen, left: () => readdirSync(join(folder, 'runs')) }
}

test('secrets lie in files that are gone afterwards, and stand neither on the command line nor in the environment', async () => {
  const { folder, run, seen, left } = recorder()
  await run({
    env: { KEY_FILE: '{key}', ID: 'an id' },
    options: [`sftp.command=ssh -i "{key}" -o 'A="{key}"'`],
    files: { key: 'a private key' },
  })
  const { args, env, password, url, key } = seen()
  const { KEY_FILE: keyFile } = env
  expect([password, url, key]).toEqual(['secret', 'rest:http://u:top@nas/', 'a private key'])
  expect(env).toMatchObject({ ID: 'an id', KEY_FILE: expect.stringContaining(join(folder, 'runs')) })
  expect(Object.keys(env).filter((name) => name.startsWith('VITEST'))).toEqual([])
  // restic reads an option as a line of comma-separated values: quotes and commas need quotes around them.
  const doubled = String(keyFile).replaceAll('"', '""')
  const option = `"sftp.command=ssh -i ""${doubled}"" -o 'A=""${doubled}""'"`
  expect(args).toEqual(['--no-cache', '-o', option, '--json', 'cat', 'config'])
  expect(JSON.stringify([args, env])).not.toMatch(/secret|top@|a private key/)
  expect(left()).toEqual([])
})

test('what restic says last is known, whether it is a text or JSON', async () => {
  const text = 'Fatal: unable to open config file: <config/> does not exist\nIs there a repository?'
  const older = recorder(`process.stderr.write(${JSON.stringify(`${text}\n`)}); process.exitCode = 1`)
  const json = JSON.stringify({ message_type: 'exit_error', code: 1, message: text })
  const newer = recorder(`process.stderr.write(${JSON.stringify(`${json}\n`)}); process.exitCode = 1`)
  for (const { run } of [older, newer]) {
    const end = await run()
    expect(end).toMatchObject({ code: 1, stderr: `${text}\n` })
    expect(refusalOf(end)).toBe('no-repository')
  }
})

test('restic is stopped when it would go on asking a disk that can only be read', async () => {
  const line = 'Save(<lock/7a>) returned error, retrying after 1.1s: open /mnt/r/locks/7a: read-only file system\n'
  const { run, left } = recorder(`
process.on('SIGINT', () => {
  process.stderr.write('{"message_type":"exit_error","code":130,"message":"unable to create lock: context canceled"}\\n')
  process.exit(130)
})
process.stderr.write(${JSON.stringify(line)})
setInterval(() => {}, 1000)`)
  const end = await run()
  expect(end).toEqual({ code: 130, signal: null, stderr: line })
  expect(refusalOf(end)).toBe('read-only')
  expect(left()).toEqual([])
})

test('restic is stopped when it would go on asking a storage that stays full, not when there may be room soon', async () => {
  const said = 'returned error, retrying after 507.2ms: server response unexpected: '
  const full = `Save(<data/50>) ${said}507 Insufficient Storage (507)`
  const others = Array.from({ length: 20 }, (_, n) => `Save(<data/${n}>) ${said}507 Insufficient Storage (507)`)
  const cut = Array.from({ length: 20 }, () => `Save(<data/61>) ${said}502 Bad Gateway (502)`)
  const program = (lines: readonly string[]) =>
    recorder(`
process.on('SIGINT', () => process.exit(130))
process.stderr.write(${JSON.stringify(lines.map((line) => `${line}\n`).join(''))})
setTimeout(() => {}, ${lines.filter((line) => line === full).length < 8 ? 0 : 3_600_000})`)
  const patient = await program([...others, ...cut, ...Array.from({ length: 7 }, () => full)]).run()
  expect(patient.code).toBe(0)
  const stopped = await program([...others, ...Array.from({ length: 8 }, () => full)]).run()
  expect(stopped).toMatchObject({ code: 130, signal: null })
  expect(refusalOf(stopped)).toBe('full')
})

test('what a program says that restic starts is known, and leaves no file', async () => {
  const { run, left } = recorder(`
require('node:fs').writeFileSync(argv[argv.indexOf('-o') + 1].slice(1, -1).replaceAll('""', '"').slice('log='.length), 'Permission denied\\n')
process.stderr.write('Fatal: file already closed\\n')
process.exitCode = 1`)
  const end = await run({ options: [`log=${helperLog}`] })
  expect(end.stderr).toBe('Permission denied\nFatal: file already closed\n')
  expect(refusalOf(end)).toBe('not-admitted')
  expect(left()).toEqual([])
})

test('a run that is stopped before it begins starts nothing and leaves nothing', async () => {
  const { run, folder } = recorder()
  await expect(run({}, AbortSignal.abort())).rejects.toThrow()
  expect(readdirSync(folder)).toEqual(['restic'])
})

/** As 0.14 and 0.18 say it of real servers. */
test.each([
  ['no-repository', 1, 'Fatal: unable to open config file: Lstat: file does not exist\nIs there a repository'],
  ['no-repository', 1, 'Fatal: unable to open config file: stat /x/403/config: no such file or directory'],
  ['no-repository', 1, 'Fatal: unable to open config file: Stat: The specified key does not exist.'],
  ['no-repository', 10, 'Fatal: repository does not exist: unable to open config file: Lstat /x: file does not exist'],
  [
    'not-admitted',
    1,
    'Fatal: unable to open config file: unexpected HTTP response (401): 401 Unauthorized\nIs there a',
  ],
  ['not-admitted', 1, 'Fatal: unable to open config file: Stat: Access Denied.\nIs there a repository'],
  ['not-admitted', 1, 'u@h: Permission denied (publickey).\nFatal: unable to open repository'],
  [
    'unreachable',
    1,
    'Fatal: unable to open config file: client.Head: Head "http://h/config": dial tcp: connection refused',
  ],
  [
    'unreachable',
    1,
    'ssh: connect to host nas port 22: Connection timed out\nFatal: unable to open repository: file already closed',
  ],
  ['read-only', 1, 'Fatal: unable to create lock in backend: read-only file system'],
  ['other', 1, 'Fatal: unable to create lock in backend: input/output error'],
  ['locked', 1, 'Fatal: unable to create lock in backend: repository is already locked exclusively by PID 7'],
  ['locked', 11, 'Fatal: something'],
  ['wrong-password', 1, 'Fatal: wrong password or no key found'],
  ['wrong-password', 12, ''],
])('%s is what %i means with: %s', (refusal, code, stderr) => {
  expect(refusalOf({ code, signal: null, stderr })).toBe(refusal)
})

test('a reason says the cause, and not where in restic it came up', () => {
  const stderr = [
    'Save(<lock/61>) returned error, retrying after 15s: open /r/locks/61: read-only file system',
    'open /r/locks/62: read-only file system',
    'github.com/restic/restic/internal/backend.(*RetryBackend).Save',
    '\tgithub.com/restic/restic/internal/backend/backend_retry.go:60',
    'runtime.goexit',
    '\truntime/asm_amd64.s:1594',
    'unable to create lock in backend',
    '',
  ].join('\n')
  const end = { code: 1, signal: null, stderr }
  expect(reasonFrom(end)).toBe('unable to create lock in backend: open /r/locks/62: read-only file system')
  expect(refusalOf(end)).toBe('read-only')
})

test('a reason names no credentials', () => {
  const stderr = 'Fatal: unable to open\nhttp://:***@nas/x and rest:https://user:pa%40ss@nas/y: refused\n'
  expect(reasonFrom({ code: 1, signal: null, stderr })).toBe(
    'unable to open http://nas/x and rest:https://nas/y: refused',
  )
})

test.each([
  [
    'unreachable',
    `Remove(<lock/7fc01eed36>) returned error, retrying after 15.4s: client.Do: Delete "http://127.0.0.1:1/locks/7f": EOF
Fatal: unable to save snapshot: client.Post: Post "http://127.0.0.1:1/data/f3": http: server closed idle connection
Remove(<lock/7fc01eed36>) returned error, retrying after 15.4s: client.Do: Delete "http://127.0.0.1:1/locks/7f": EOF`,
  ],
  ['unreachable', 'Fatal: unable to open config file: Head "http://127.0.0.1:1/config": dial tcp: connection refused'],
  [
    'full',
    `Save(<data/f3>) returned error, retrying after 1s: Post "http://127.0.0.1:1/data/f3": connection reset by peer
Fatal: unable to save snapshot: server response unexpected: 507 Insufficient Storage (507)`,
  ],
])('a storage that is %s', (refusal, stderr) => {
  expect(refusalOf({ code: 1, signal: null, stderr })).toBe(refusal)
})

test.each([
  ['open https://ada:secret@storage.test/b/x: refused', 'open https://storage.test/b/x: refused'],
  ['Get "https://a.blob.test/b/x?se=2027&sig=abc%3D": x509: unknown', 'Get "https://a.blob.test/b/x": x509: unknown'],
  ["cannot open 'sftp://h/why?': gone? yes", "cannot open 'sftp://h/why': gone? yes"],
])('of addresses in what restic says nothing is told that gives access: %s', (said, told) => {
  expect(withoutCredentials(said)).toBe(told)
})
