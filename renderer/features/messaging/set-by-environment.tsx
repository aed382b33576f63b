import { Alert, SimpleGrid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Panel } from '../../ui/panel.tsx'

/** Settings that come from the environment and cannot be changed here, with a test. */
export function SetByEnvironment({ title, test, children }: { title: string; test: ReactNode; children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
      <Panel title={title}>
        <Stack gap="sm">
          <Alert variant="light" p="sm">
            Set by environment variables of the appliance. Change them there and restart the appliance.
          </Alert>
          {children}
        </Stack>
      </Panel>
      {test}
    </SimpleGrid>
  )
}
