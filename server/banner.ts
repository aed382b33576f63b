import type { Appliance } from './appliance.ts'
import type { Config } from './config/config.ts'

export function setupLink(appliance: Appliance, code: string): string {
  return setupLinks(appliance, code)[0] ?? ''
}

/** By the best name and, because not every network resolves names, by a LAN address. */
function setupLinks(appliance: Appliance, code: string): string[] {
  const addresses = appliance.app.connectionInfo.addresses()
  const urls = new Set([addresses[0]?.url, addresses.find(({ kind }) => kind === 'lan')?.url])
  return [...urls].filter((url) => url !== undefined).map((url) => `${url}/setup#code=${code}`)
}

/** What the terminal shows when the appliance has started. */
export function welcome(appliance: Appliance, config: Config, version: string): string {
  const { connectionInfo, bootstrap } = appliance.app
  const fingerprint = appliance.tls?.caFingerprint()
  const code = bootstrap.setupCode()
  return [
    '',
    `Homeport ${version} is running.`,
    '',
    '  Console',
    ...connectionInfo.addresses().map(({ url }) => `    ${url}`),
    '',
    ...(fingerprint ? ['  Fingerprint of its certificate authority (SHA-256)', `    ${grouped(fingerprint)}`, ''] : []),
    `  Data    ${config.dataDir}`,
    '',
    ...(code
      ? [
          '  To set it up, open this link in a browser. Its code works once.',
          ...setupLinks(appliance, code).map((link) => `    ${link}`),
          '',
        ]
      : []),
    'Press Ctrl+C to stop.',
    '',
  ].join('\n')
}

const grouped = (hex: string) => (hex.toUpperCase().match(/.{2}/g) ?? []).join(':')
