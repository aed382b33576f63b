import { powerShellQuote, type Quote, shellQuote } from '../../../lib/shell-quote.ts'

/** The command that installs the agent on a device, per platform. */

export type Platform = 'linux' | 'macos' | 'windows'

export interface InstallFacts {
  /** Such as `https://box.local:8443`. */
  origin: string
  /** The raw enrollment key. */
  key: string
  /** Fingerprint of the appliance's own CA; null if devices trust the certificate already. */
  caFingerprint: string | null
  agent: { path: string; sha256: string }
}

const file = 'homeport-agent.mjs'

/**
 * Downloads the agent, verifies its checksum, enrolls and installs the service. The download may skip certificate
 * checks (`-k`, only with the appliance's own CA): the checksum comes from this page, and from enrollment on the
 * fingerprint pins the CA.
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

// PowerShell 5 has no `&&`, and a failing program does not stop the line.
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

/** The commands for a source checkout, to try the agent without installing it. */
export const sourceCommands = (facts: Omit<InstallFacts, 'agent'>): string =>
  [`npm run agent -- ${enrollArguments(facts, shellQuote)}`, 'npm run agent -- run'].join('\n')

function enrollArguments({ key, origin, caFingerprint }: Omit<InstallFacts, 'agent'>, quote: Quote): string {
  const pin = caFingerprint ? ` --ca-fingerprint ${quote(caFingerprint)}` : ''
  return `enroll ${quote(key)} --server ${quote(origin)}${pin}`
}
