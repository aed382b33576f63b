import { existsSync, rmSync } from 'node:fs'
import { writeFileDurably } from '../../shared/node/files.ts'
import { readIfPresent } from '../files.ts'
import { run, succeeds } from '../tool.ts'
import type { ServiceDefinition, ServiceManager } from './manager.ts'

const name = 'homeport-agent'
const unitPath = `/etc/systemd/system/${name}.service`

/** Restarted unless it exits with code 0. */
export const unitText = ({ command }: ServiceDefinition): string => `[Unit]
Description=Homeport device agent
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map(quote).join(' ')}
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
`

/** As systemd reads a command line: quotes, C escapes, % specifiers and $ variables. */
export const quote = (word: string): string =>
  `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

export const systemd: ServiceManager = {
  logHint: `journalctl -u ${name}`,
  async install(definition) {
    if (!existsSync('/run/systemd/system')) throw new Error('this machine does not run systemd')
    writeFileDurably(unitPath, unitText(definition), 0o644)
    await run('systemctl', ['daemon-reload'])
    await run('systemctl', ['enable', name])
    await run('systemctl', ['restart', name])
  },
  async stop() {
    await run('systemctl', ['stop', name])
  },
  async remove() {
    await run('systemctl', ['disable', name])
    rmSync(unitPath, { force: true })
    await run('systemctl', ['daemon-reload'])
  },
  describe: async () => readIfPresent(unitPath),
  isRunning: () => succeeds('systemctl', ['is-active', '--quiet', name]),
}
