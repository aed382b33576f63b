import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Panel } from '../../../ui/panel.tsx'

export const TrustFrame = ({ actions, children }: { actions?: ReactNode; children: ReactNode }) => (
  <Panel title="Identity providers in your network" actions={actions}>
    <Text size="sm" mb="sm">
      Single sign-on asks identity providers on the internet only. One in your own network, or with a certificate of
      your own authority, has to be listed here, and this can be done on the appliance itself only.
    </Text>
    {children}
  </Panel>
)
