import { Button, EmptyState } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Me } from '../../../shared/api/profile.ts'
import { homePageFor, pages } from '../../domain/navigation/pages.ts'
import { useSignOut } from '../../domain/session/use-sign-out.ts'
import { useTabTitle } from '../../lib/use-tab-title.ts'
import { ButtonLink } from '../../ui/links.tsx'

/** The page, or a notice if the user's role does not open it. */
export function PageAccess({ me, children }: { me: Me; children: ReactNode }) {
  const path = useLocation({ select: (location) => location.pathname })
  const page = pages.find(({ to }) => to === path)
  return !page || page.isFor(me) ? children : <NotForYourRole me={me} what={page.label} />
}

function NotForYourRole({ me, what }: { me: Me; what: string }) {
  useTabTitle('No access')
  const leave = useSignOut()
  const home = me.scope === 'system' ? partners : homePageFor(me)
  return (
    <EmptyState
      py={96}
      icon={<IconLock stroke={1.5} />}
      title="You don’t have access to this page"
      description={whyNot(me, what)}
    >
      <EmptyState.Actions>
        <ButtonLink to={home.to}>Go to {home.label}</ButtonLink>
        <Button variant="default" loading={leave.isPending} onClick={() => leave.mutate()}>
          Sign out
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  )
}

const partners = { to: '/companies', label: 'Companies' } as const

function whyNot({ scope, partnerName }: Me, what: string): string {
  if (scope === 'system')
    return `“${what}” belongs to a company, and you manage the whole appliance. Choose a company first.`
  const partner = partnerName ?? 'your company'
  return `You don’t have access to ${what}. Ask an administrator of ${partner}.`
}
