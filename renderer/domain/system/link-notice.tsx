import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { connectionInfoQuery } from '../../data/system.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { linkWarning } from './link-warning.ts'

/** Where mail is looked after: its links begin with the public address. */
export function PublicAddressNotice() {
  const enabled = can(useMe(), 'organizations:read')
  const url = useQuery({ ...connectionInfoQuery, enabled }).data?.publicAddress.url
  const warning = url && linkWarning(url)
  if (!warning) return null
  return (
    <Warning mb="md">
      Links in email start with {url}. {warning}{' '}
      <TextLink to="/system/appliance" inherit underline="always">
        View addresses
      </TextLink>
    </Warning>
  )
}

/** Beside a link whose reader may not be able to open it. */
export function LinkNotice({ link }: { link: string }) {
  const warning = linkWarning(link)
  return warning && <Warning>{warning} The public address is set under Appliance.</Warning>
}

const Warning = ({ children, mb }: { children: ReactNode; mb?: string }) => (
  <Alert color="yellow" variant="light" p="sm" {...(mb && { mb })}>
    <Text size="sm">{children}</Text>
  </Alert>
)
