import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { SsoTrust } from '../../../../shared/api/sso-trust.ts'
import { organizationTreeQuery } from '../../../data/organizations.ts'
import { dateOnly } from '../../../lib/format.ts'

type Host = SsoTrust['hosts'][number]

interface Props {
  trust: SsoTrust
  /** Menu of the host at this index. */
  menuFor?: (index: number, host: Host) => ReactNode
}

/** Hosts of the local network that single sign-on may reach, and problems with those it may not. */
export function TrustedHosts({ trust, menuFor }: Props) {
  if (trust.hosts.length === 0)
    return (
      <Text size="sm" c="dimmed">
        None listed: only identity providers on the internet are contacted.
      </Text>
    )
  return (
    <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {trust.hosts.map((host, index) => (
        <TrustedHost key={`${host.host}:${host.port}`} host={host} trust={trust} menu={menuFor?.(index, host)} />
      ))}
    </Stack>
  )
}

function TrustedHost({ host, trust, menu }: { host: Host; trust: SsoTrust; menu: ReactNode }) {
  return (
    <li style={{ display: 'flex', justifyContent: 'space-between', alignItems: 'flex-start', gap: 8 }}>
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <Text size="sm" fw={500}>
          {host.host}:{host.port}
        </Text>
        <Text size="xs" c="dimmed">
          {host.addresses.length > 0 ? `At ${host.addresses.join(', ')}` : 'Public addresses only'}
        </Text>
        <Vouchers host={host} trust={trust} />
        <Owners owners={host.owners} />
        {host.error && (
          <Text size="sm" c="red">
            Not used. {host.error}.
          </Text>
        )}
      </div>
      {menu}
    </li>
  )
}

function Vouchers({ host, trust }: { host: Host; trust: SsoTrust }) {
  const own = trust.certificateAuthorities.filter(({ id }) => host.ca.includes(id))
  return (
    <>
      {own.map(({ id, subject, expiresAt, sha256 }) => (
        <Text key={id} size="xs" c="dimmed">
          Trusted authority: {subject ?? id}
          {expiresAt && `, until ${dateOnly(expiresAt)}`}
          {sha256 && (
            <>
              {'. SHA-256 '}
              <span className="mono">{sha256}</span>
            </>
          )}
        </Text>
      ))}
      {(own.length === 0 || host.alsoPublicRoots) && (
        <Text size="xs" c="dimmed">
          {own.length === 0 ? 'Trusted authorities: public ones' : 'Public authorities are trusted, too'}
        </Text>
      )}
    </>
  )
}

function Owners({ owners }: { owners: string[] | null }) {
  const nameOf = useOwnerNames()
  if (owners === null) return null
  return (
    <Text size="xs" c="dimmed">
      Only for {owners.map(nameOf).join(', ')}
    </Text>
  )
}

/** Resolves an owner in the document to its name. */
export function useOwnerNames(): (owner: string) => string {
  const organizations = useQuery(organizationTreeQuery).data ?? []
  const names = new Map(organizations.map(({ id, name }) => [`org:${id}`, name]))
  return (owner) => (owner === 'partner' ? 'company-wide sign-in' : (names.get(owner) ?? owner))
}
