import { execFileSync, spawnSync } from 'node:child_process'
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { poly1305 } from '@noble/ciphers/_poly1305.js'

/**
 * The restic of the usual tests: the real one, but a repository that it makes has a key that takes no time to derive from
 * the password, because each of thousands of commands would take half a second of CPU. `node quick-restic.ts RESTIC ARGS…`.
 * What restic itself makes is used at full length, by `npm run test:thorough`.
 */

/** Of repositories that restic made. */
const polynomials = ['3b5fcab6266a0f', '28f0c7931d3107', '3b400c9d401737', '283bc123f1c99d', '3c4ec3b24119db']

interface Key {
  encrypt: Buffer
  k: Buffer
  r: Buffer
}

/** AES-256 in counter mode, then Poly1305-AES, as the design of restic says: nonce, ciphertext, tag. */
function sealed({ encrypt, k, r }: Key, content: string): Buffer {
  const nonce = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', encrypt, nonce)
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()])
  const block = createCipheriv('aes-128-ecb', k, null).setAutoPadding(false)
  const pad = Buffer.concat([block.update(nonce), block.final()])
  return Buffer.concat([nonce, ciphertext, poly1305(ciphertext, Buffer.concat([r, pad]))])
}

function opened({ encrypt }: Key, content: Buffer): string {
  const decipher = createDecipheriv('aes-256-ctr', encrypt, content.subarray(0, 16))
  return Buffer.concat([decipher.update(content.subarray(16, -16)), decipher.final()]).toString()
}

/** As little as restic takes. */
const cost = { N: 2, r: 1, p: 1 }

function keyFrom(password: string, salt: Buffer): Key {
  const derived = scryptSync(password, salt, 64, cost)
  return { encrypt: derived.subarray(0, 32), k: derived.subarray(32, 48), r: derived.subarray(48) }
}

interface NamedFile {
  name: string
  content: Buffer
}

/** The file of a key that holds the secret of a repository. */
function keyFile(password: string, secret: string): NamedFile {
  const salt = randomBytes(64)
  const content = Buffer.from(
    JSON.stringify({
      ...{ created: new Date().toISOString(), username: 'root', hostname: hostname(), kdf: 'scrypt', ...cost },
      salt: salt.toString('base64'),
      data: sealed(keyFrom(password, salt), secret).toString('base64'),
    }),
  )
  return { name: createHash('sha256').update(content).digest('hex'), content }
}

/** The files of a new repository. */
function made(password: string, chunker_polynomial: string): { config: Buffer; key: NamedFile } {
  const main: Key = { encrypt: randomBytes(32), k: randomBytes(16), r: randomBytes(16) }
  const secret = {
    mac: { k: main.k.toString('base64'), r: main.r.toString('base64') },
    encrypt: main.encrypt.toString('base64'),
  }
  const config = { version: 2, id: randomBytes(32).toString('hex'), chunker_polynomial }
  return { config: sealed(main, JSON.stringify(config)), key: keyFile(password, JSON.stringify(secret)) }
}

const [restic = 'restic', ...args] = process.argv.slice(2)

const { env } = process
const textOf = (file: string) => readFileSync(file, 'utf8').replace(/\r?\n$/, '')

const place = (env.RESTIC_REPOSITORY_FILE ? textOf(env.RESTIC_REPOSITORY_FILE) : env.RESTIC_REPOSITORY) ?? ''
const isFolder = place.startsWith('/')

/** Whether it was done here. Where anything is not as in most tests, restic does it. */
async function isDone(): Promise<boolean> {
  if (!env.RESTIC_PASSWORD_FILE) return false
  const password = textOf(env.RESTIC_PASSWORD_FILE)
  if (args.includes('key')) return isFolder && addKey(place, password)
  const files = made(password, polynomial())
  if (isFolder) return inFolder(place, files)
  return place.startsWith('rest:http://') && overHttp(place.slice('rest:'.length).replace(/\/?$/, '/'), files)
}

/** In a folder, where the password opens a key that was made here. */
function addKey(folder: string, password: string): boolean {
  const newPasswordFile = args[args.indexOf('--new-password-file') + 1]
  if (!newPasswordFile || readdirSync(join(folder, 'locks')).length > 0) return false
  const keys = join(folder, 'keys')
  for (const name of readdirSync(keys)) {
    const { N, salt, data } = JSON.parse(readFileSync(join(keys, name), 'utf8'))
    if (N !== cost.N) continue
    const secret = opened(keyFrom(password, Buffer.from(salt, 'base64')), Buffer.from(data, 'base64'))
    if (!secret.startsWith('{"mac"')) continue
    const key = keyFile(textOf(newPasswordFile), secret)
    writeFileSync(join(keys, key.name), key.content, { mode: 0o400 })
    return true
  }
  return false
}

/** That of the first repository, for a second copy of it. */
function polynomial(): string {
  if (!args.includes('--copy-chunker-params')) return polynomials[randomBytes(1).readUInt8() % polynomials.length] ?? ''
  const first = {
    ...env,
    RESTIC_REPOSITORY_FILE: env.RESTIC_FROM_REPOSITORY_FILE,
    RESTIC_PASSWORD_FILE: env.RESTIC_FROM_PASSWORD_FILE,
  }
  const wanted = args.filter((arg) => arg !== 'init' && arg !== '--copy-chunker-params')
  const config = execFileSync(restic, [...wanted, 'cat', 'config'], { env: first, encoding: 'utf8' })
  return JSON.parse(config).chunker_polynomial
}

type Files = ReturnType<typeof made>

function inFolder(folder: string, { config, key }: Files): boolean {
  if (existsSync(folder) && readdirSync(folder).length > 0) return false
  const mode = 0o700
  for (const name of ['data', 'index', 'keys', 'locks', 'snapshots'])
    mkdirSync(join(folder, name), { recursive: true, mode })
  for (let n = 0; n < 256; n++) mkdirSync(join(folder, 'data', n.toString(16).padStart(2, '0')), { mode })
  writeFileSync(join(folder, 'keys', key.name), key.content, { mode: 0o400 })
  writeFileSync(join(folder, 'config'), config, { mode: 0o400 })
  return true
}

/** restic’s REST protocol. Anything unexpected is what restic will tell of. */
async function overHttp(place: string, { config, key }: Files): Promise<boolean> {
  const url = new URL(place)
  const account = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const headers = {
    ...(url.username && { authorization: `Basic ${Buffer.from(account).toString('base64')}` }),
    accept: 'application/vnd.x.restic.rest.v2',
  }
  url.username = url.password = ''
  const ask = (path: string, method: string, body?: Buffer) =>
    fetch(new URL(path, url), { method, headers, ...(body && { body: new Uint8Array(body) }) })
  const keys = await ask('keys/', 'GET')
  if ((keys.ok && ((await keys.json()) as unknown[]).length > 0) || (await ask('config', 'HEAD')).status !== 404)
    return false
  const files = [['?create=true'], [`keys/${key.name}`, key.content], ['config', config]] as const
  for (const [path, body] of files) if (!(await ask(path, 'POST', body)).ok) return false
  return true
}

if (await isDone().catch(() => false))
  process.stdout.write(args.includes('key') ? 'saved new key\n' : 'created restic repository\n')
else process.exitCode = spawnSync(restic, args, { stdio: 'inherit' }).status ?? 1
