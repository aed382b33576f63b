import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { count } from '../../../lib/format.ts'
import { FormError } from '../../../ui/form-error.tsx'
import type { PreparedRow } from './column-mapping.ts'
import type { ImportRun } from './use-import-run.ts'

interface Props<Answer> {
  run: ImportRun<Answer>
  rows: readonly PreparedRow[]
  label: string
  /** Shown before the user continues after a lost reply. */
  caution?: ReactNode
}

/** Progress of the rows, and a button to continue if a batch failed. */
export function RunProgress<Answer>({ run, rows, label, caution }: Props<Answer>) {
  const done = rows.filter(({ index }) => run.answers.has(index)).length
  if (done === rows.length) return null
  return (
    <Stack gap="sm">
      <FormError error={run.error}>{run.isUncertain && caution}</FormError>
      <Group justify="space-between">
        <Text size="sm" role="status" className="nums">
          {label}: {count(done)} of {count(rows.length)} rows
        </Text>
        {run.isRunning ? (
          <Button variant="subtle" color="gray" size="xs" onClick={run.stop}>
            Stop
          </Button>
        ) : (
          <Button size="xs" onClick={() => run.start(rows)}>
            Continue
          </Button>
        )}
      </Group>
      <Progress value={(done / rows.length) * 100} animated={run.isRunning} aria-label={label} />
    </Stack>
  )
}
