import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import escapeHtml from 'escape-html'
import { run } from '../tool.ts'
import type { ServiceDefinition, ServiceManager } from './manager.ts'

const taskName = 'Homeport Agent'

/**
 * A task of SYSTEM, begun when it is registered and at every boot, and again five minutes after it ended for whatever
 * reason: a second instance is ignored while one runs. Without the limit of zero Windows would end it after three days.
 */
export const taskXml = ({
  command: [program = '', ...args],
}: ServiceDefinition): string => `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.3" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Homeport device agent</Description>
  </RegistrationInfo>
  <Triggers>
    <BootTrigger>
      ${repetition}
    </BootTrigger>
    <RegistrationTrigger>
      ${repetition}
    </RegistrationTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>S-1-5-18</UserId>
      <RunLevel>HighestAvailable</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${escapeHtml(program)}</Command>
      <Arguments>${escapeHtml(args.map(quote).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`

const repetition = '<Repetition><Interval>PT5M</Interval><StopAtDurationEnd>false</StopAtDurationEnd></Repetition>'

/** As Windows programs split their command line; paths hold no quotes, but may end in a backslash. */
const quote = (word: string): string => `"${word.replace(/(\\+)$/, '$1$1')}"`

export const scheduledTask: ServiceManager = {
  logHint: undefined,
  async install(definition) {
    const folder = mkdtempSync(join(tmpdir(), 'homeport-'))
    try {
      const file = join(folder, 'task.xml')
      writeFileSync(file, `\uFEFF${taskXml(definition)}`, 'utf16le')
      await run('schtasks.exe', ['/Create', '/TN', taskName, '/XML', file, '/F'])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  async stop() {
    await run('schtasks.exe', ['/End', '/TN', taskName])
  },
  async remove() {
    await run('schtasks.exe', ['/Delete', '/TN', taskName, '/F'])
  },
  describe: () => run('schtasks.exe', ['/Query', '/TN', taskName, '/XML']).catch(() => undefined),
  async isRunning() {
    const state = `(Get-ScheduledTask -TaskName '${taskName}').State`
    return (await run('powershell.exe', ['-NoProfile', '-Command', state]).catch(() => '')).trim() === 'Running'
  },
}
