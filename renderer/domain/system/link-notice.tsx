import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { connectionInfoQuery } from '../../data/system.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { linkToHandOver, linkWarning } from './link-warning.ts'

/** Where mail is looked after: its links begin with the public address. */
export function PublicAddressNotice() {
  const url = usePublicAddress()
  const warning = url && linkWarning(url)
  if (!warning) return null
  return (
    <Warning mb="md">
      Links in email start with {url}. {warning}{' '}
      <TextLink to="/system/appliance" hash="addresses" inherit underline="always">
        View addresses
      </TextLink>
    </Warning>
  )
}

/** Before a link is made: whether its reader will be able to open it. `isMailed`: it is not shown here first. */
export function FutureLinkNotice({ isMailed }: { isMailed: boolean }) {
  const { isPlatformAdmin } = useMe()
  const address = usePublicAddress()
  const url = address && (isMailed ? address : linkToHandOver(address))
  const warning = url && linkWarning(url)
  if (!warning) return null
  return (
    <Warning>
      The link will start with {url}. {warning}{' '}
      {isPlatformAdmin ? (
        <TextLink to="/system/appliance" hash="addresses" inherit underline="always">
          Change the public address
        </TextLink>
      ) : (
        'The public address is set under Appliance.'
      )}
    </Warning>
  )
}

/** Undefined until it is known, and for those who may not know it. */
function usePublicAddress(): string | undefined {
  const enabled = can(useMe(), 'organizations:read')
  return useQuery({ ...connectionInfoQuery, enabled }).data?.publicAddress.url
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
