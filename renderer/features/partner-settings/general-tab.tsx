import { SimpleGrid, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Partner } from '../../../shared/api/partners.ts'
import { BusinessHoursPanel } from './business-hours-panel.tsx'
import { ContactPanel } from './contact-panel.tsx'
import { IdentityPanel } from './identity-panel.tsx'
import { RegionalPanel } from './regional-panel.tsx'
import { ServiceModePanel } from './service-mode-panel.tsx'

interface Props {
  partner: Partner
  isEditable: boolean
  psaConnections: ReactNode
}

export function GeneralTab({ psaConnections, ...props }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
      <Stack miw={0}>
        <IdentityPanel {...props} />
        <ContactPanel {...props} />
        <ServiceModePanel {...props} />
      </Stack>
      <Stack miw={0}>
        <RegionalPanel {...props} />
        <BusinessHoursPanel {...props} />
        {psaConnections}
      </Stack>
    </SimpleGrid>
  )
}
