import { powerShellQuote, type Quote, shellQuote } from '../../../lib/shell-quote.ts'

/** The one line that puts the agent on a device, per platform. Pure: everything in, text out. */

export type Platform = 'linux' | 'macos' | 'windows'

export interface InstallFacts {
  /** Such as `https://box.local:8443`. */
  origin: string
  /** The raw enrollment key. */
  key: string
  /** Of the appliance's own authority; null when the device trusts the certificate by other means. */
  caFingerprint: string | null
  agent: { path: string; sha256: string }
}

const file = 'homeport-agent.mjs'

/**
 * Downloads the agent, compares its checksum, enrolls and installs the service. The download need not trust the
 * certificate yet (`-k`, only where the appliance is its own authority): the checksum comes from this page, and
 * from enrollment on the fingerprint pins the authority.
 */
export function installCommand(platform: Platform, facts: InstallFacts): string {
  return platform === 'windows' ? forPowerShell(facts) : forShell(platform, facts)
}

function forShell(platform: 'linux' | 'macos', facts: InstallFacts): string {
  const checker = platform === 'macos' ? 'shasum -a 256' : 'sha256sum'
  return [
    `${download('curl', facts, shellQuote)} -o ${file}`,
    `echo ${shellQuote(`${facts.agent.sha256}  ${file}`)} | ${checker} -c -`,
    `sudo node ${file} ${enrollArguments(facts, shellQuote)}`,
    `sudo node ${file} service install`,
  ].join(' && ')
}

// PowerShell 5 has no `&&`, and a native program that fails does not stop the line by itself.
function forPowerShell(facts: InstallFacts): string {
  const stopOnFailure = 'if ($LASTEXITCODE) { throw'
  return [
    `${download('curl.exe', facts, powerShellQuote)} -o ${file}`,
    `${stopOnFailure} 'The download failed' }`,
    `if ((Get-FileHash ${file} -Algorithm SHA256).Hash -ne ${powerShellQuote(facts.agent.sha256)}) { throw 'The checksum does not match' }`,
    `node ${file} ${enrollArguments(facts, powerShellQuote)}`,
    `${stopOnFailure} 'The enrollment failed' }`,
    `node ${file} service install`,
  ].join('; ')
}

const download = (curl: string, { origin, agent, caFingerprint }: InstallFacts, quote: Quote) =>
  `${curl} ${caFingerprint ? '-fsSk' : '-fsS'} ${quote(origin + agent.path)}`

/** The lines for a checkout of the source, to try it without installing anything. */
export const sourceCommands = (facts: Omit<InstallFacts, 'agent'>): string =>
  [`npm run agent -- ${enrollArguments(facts, shellQuote)}`, 'npm run agent -- run'].join('\n')

function enrollArguments({ key, origin, caFingerprint }: Omit<InstallFacts, 'agent'>, quote: Quote): string {
  const pin = caFingerprint ? ` --ca-fingerprint ${quote(caFingerprint)}` : ''
  return `enroll ${quote(key)} --server ${quote(origin)}${pin}`
}
