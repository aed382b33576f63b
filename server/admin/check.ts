import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Config } from '../config/config.ts'
import { databaseFile } from '../db/location.ts'
import { openData } from '../db/open-data.ts'
import { q } from '../db/query.ts'
import { examineTrust } from '../features/sso/index.ts'
import { openSecrets } from '../platform/secrets.ts'

/** Examines an appliance without changing it; may run beside it. */
export function check(config: Config): { lines: string[]; isWhole: boolean } {
  const findings = [...checkDatabase(config), ...checkFiles(config), ...checkCertificate(config), ...checkTrust(config)]
  return {
    lines: findings.map(({ isGood, text }) => `${isGood ? 'ok     ' : 'PROBLEM'}  ${text}`),
    isWhole: findings.every(({ isGood }) => isGood),
  }
}

interface Finding {
  isGood: boolean
  text: string
}

const good = (text: string): Finding => ({ isGood: true, text })
const bad = (text: string): Finding => ({ isGood: false, text })

function checkDatabase(config: Config): Finding[] {
  const db = openData(config)
  try {
    const problems = db.check()
    const count = (table: 'organizations' | 'devices' | 'users') =>
      db.first(q.selectFrom(table).select((select) => select.fn.countAll<number>().as('total')))?.total ?? 0
    const size = Math.round(statSync(databaseFile(config.dataDir)).size / 1024)
    return problems.length > 0
      ? problems.map((problem) => bad(`database: ${problem}`))
      : [
          good(
            `database: intact, ${size} KiB, ${count('organizations')} organizations, ${count('devices')} devices, ${count('users')} users`,
          ),
          ...checkSecrets(config, db),
        ]
  } finally {
    db.close()
  }
}

/** A key ring from another appliance opens nothing: better to learn it here than at the next sign-in. */
function checkSecrets(config: Config, db: ReturnType<typeof openData>): Finding[] {
  if (!existsSync(join(config.dataDir, 'keyring.json')))
    return [bad('keys: keyring.json is missing; encrypted data cannot be read')]
  const secrets = openSecrets(config.dataDir, config.secrets)
  const sealed = db.all(q.selectFrom('users').select(['id', 'email', 'mfa_secret']).where('mfa_secret', 'is not', null))
  const broken = sealed.filter(({ id, mfa_secret }) => {
    try {
      secrets.decrypt(mfa_secret ?? '', `mfa_secret:${id}`)
      return false
    } catch {
      return true
    }
  })
  return broken.length > 0
    ? broken.map(({ email }) => bad(`keys: the second factor of ${email} cannot be decrypted`))
    : [good(`keys: present, ${sealed.length} stored secrets decrypted`)]
}

function checkFiles(config: Config): Finding[] {
  if (process.platform === 'win32') return []
  return ['keyring.json', 'setup-code']
    .filter((name) => existsSync(join(config.dataDir, name)))
    .map((name) => {
      const mode = statSync(join(config.dataDir, name)).mode & 0o777
      return mode === 0o600
        ? good(`files: ${name} is readable by its owner only`)
        : bad(`files: ${name} has mode ${mode.toString(8)}, expected 600`)
    })
}

function checkCertificate(config: Config): Finding[] {
  if (config.tls.mode === 'off') return [good('certificates: none, HOMEPORT_TLS is off')]
  const file = config.tls.mode === 'files' ? config.tls.certFile : join(config.dataDir, 'tls', 'server.json')
  if (!existsSync(file)) return [bad(`certificates: ${file} is missing`)]
  const text = readFileSync(file, 'utf8')
  const pem =
    config.tls.mode === 'files' ? text : z.object({ certificate: z.string() }).parse(JSON.parse(text)).certificate
  const certificate = new X509Certificate(pem)
  const until = certificate.validToDate
  return [
    until.getTime() > Date.now()
      ? good(`certificates: valid until ${until.toISOString().slice(0, 10)}, ${certificate.subjectAltName}`)
      : bad(`certificates: expired on ${until.toISOString().slice(0, 10)}`),
  ]
}

/** What single sign-on may reach in the own network: a broken document keeps the appliance from starting. */
function checkTrust(config: Config): Finding[] {
  const { source, error, certificateAuthorities, hosts } = examineTrust(config, Date.now())
  const problems = [error, ...certificateAuthorities.map((authority) => authority.error)].filter(
    (text) => text !== null,
  )
  if (problems.length > 0) return problems.map((problem) => bad(`single sign-on: ${problem}`))
  if (source !== 'none' && hosts.length === 0) return [good('single sign-on: no hosts listed')]
  return hosts.map(({ host, port }) => good(`single sign-on: ${host}:${port} is listed, and Homeport may contact it`))
}
