import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Panel } from '../../../ui/panel.tsx'

export const TrustFrame = ({ actions, children }: { actions?: ReactNode; children: ReactNode }) => (
  <Panel title="Identity providers in your network" actions={actions}>
    <Text size="sm" mb="sm">
      Homeport only contacts identity providers on the internet. One in your own network, or with a certificate from
      your own CA, has to be listed here, on the appliance itself.
    </Text>
    {children}
  </Panel>
)
