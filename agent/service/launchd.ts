import { rmSync } from 'node:fs'
import escapeHtml from 'escape-html'
import { writeFileDurably } from '../../shared/node/files.ts'
import { readIfPresent } from '../files.ts'
import { run, succeeds } from '../tool.ts'
import type { ServiceDefinition, ServiceManager } from './manager.ts'

const label = 'dev.homeport.agent'
const target = `system/${label}`
const plistPath = `/Library/LaunchDaemons/${label}.plist`

/** Restarted unless it exits with code 0. */
export const plistText = ({ command }: ServiceDefinition): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${escapeHtml(word)}</string>`).join('\n')}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
</dict>
</plist>
`

export const launchd: ServiceManager = {
  logHint: undefined,
  async install(definition) {
    writeFileDurably(plistPath, plistText(definition), 0o644)
    await succeeds('launchctl', ['bootout', target]) // an earlier installation
    await run('launchctl', ['bootstrap', 'system', plistPath])
  },
  async stop() {
    await run('launchctl', ['bootout', target])
  },
  async remove() {
    rmSync(plistPath, { force: true })
  },
  describe: async () => readIfPresent(plistPath),
  isRunning: async () => (await run('launchctl', ['print', target]).catch(() => '')).includes('state = running'),
}
