import type { Appliance } from './appliance.ts'
import type { Config } from './config/config.ts'

export function setupLink(appliance: Appliance, code: string): string {
  const [best] = appliance.app.connectionInfo.addresses()
  return `${best?.url}/setup#code=${code}`
}

/** What whoever starts the appliance sees in the terminal. */
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
          '  Set it up: open this link in a browser. The code in it works once.',
          `    ${setupLink(appliance, code)}`,
          '',
        ]
      : []),
    'Press Ctrl+C to stop.',
    '',
  ].join('\n')
}

const grouped = (hex: string) => (hex.toUpperCase().match(/.{2}/g) ?? []).join(':')
