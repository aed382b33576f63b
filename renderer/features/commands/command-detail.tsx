import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { DeviceDetail } from '../../../shared/api/devices.ts'
import type { CommandWithOutput } from '../../data/live-rows.ts'
import { languageOf, scriptOf } from '../../domain/commands/command-labels.ts'
import { exactTime, timeSpan } from '../../lib/format.ts'
import { CopyIcon } from '../../ui/copy-button.tsx'
import classes from './command-detail.module.css'
import { CommandProgress } from './command-progress.tsx'
import { RunAgain } from './run-again.tsx'

/** One command in full: what was asked for, by whom, and what came of it. */
export function CommandDetail({ device, command }: { device: DeviceDetail; command: CommandWithOutput }) {
  const { id, payload, createdByName, createdAt, executedAt, completedAt } = command
  const script = scriptOf(command)
  return (
    <Stack gap="sm" className={classes.detail}>
      <dl className={classes.facts}>
        <Fact name="Command ID">
          <span className="mono">{id}</span> <CopyIcon text={id} label="Copy command ID" />
        </Fact>
        <Fact name="By">{createdByName ?? 'Homeport'}</Fact>
        {script !== null && <Fact name="Language">{languageOf(command)}</Fact>}
        {typeof payload.timeoutSeconds === 'number' && (
          <Fact name="Time limit">{timeSpan(payload.timeoutSeconds)}</Fact>
        )}
        <Fact name="Requested">{exactTime(createdAt)}</Fact>
        {executedAt && <Fact name="Started">{exactTime(executedAt)}</Fact>}
        {completedAt && <Fact name="Ended">{exactTime(completedAt)}</Fact>}
      </dl>
      {script !== null && (
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            Script
          </Text>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <section className={classes.script} aria-label="Script" tabIndex={0}>
            <pre>{script}</pre>
          </section>
        </div>
      )}
      <CommandProgress command={command} again={<RunAgain device={device} command={command} />} />
    </Stack>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
