import { Stack } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import type { Me } from '../../../shared/api/profile.ts'
import { MailProblemBadge } from '../../domain/messaging/mail-problem-badge.tsx'
import { isOpenAt, type NavigationPage, navigationFor } from '../../domain/navigation/pages.ts'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import {
  useHasOrganizationChoice,
  useSelectedOrganizationId,
} from '../../domain/organizations/selected-organization.ts'
import { FoldHeading, useFold } from '../../ui/fold-heading.tsx'
import { NavItem } from '../../ui/links.tsx'
import classes from './app-layout.module.css'

interface Props {
  me: Me
  onNavigate: () => void
}

/** The pages that the user may open. */
export function Navigation({ me, onNavigate }: Props) {
  const { daily, backup, settings } = navigationFor(me)
  return (
    <Stack gap={2} component="nav" aria-label="Main">
      {/* On a phone the navigation is folded, and lists show the switcher themselves. */}
      <OrganizationSwitcher visibleFrom="sm" />
      {daily.map((page) => (
        <Item key={page.to} page={page} onNavigate={onNavigate} />
      ))}
      {backup.length > 0 && <PageGroup title="Backup" isUnfoldedFirst pages={backup} onNavigate={onNavigate} />}
      {settings.length > 0 && <PageGroup title="Settings" pages={settings} onNavigate={onNavigate} />}
    </Stack>
  )
}

interface GroupProps {
  title: string
  isUnfoldedFirst?: boolean
  pages: NavigationPage[]
  onNavigate: () => void
}

/** While collapsed, it shows the page that is open, and whether mail has a problem. */
function PageGroup({ title, isUnfoldedFirst = false, pages, onNavigate }: GroupProps) {
  const path = useLocation({ select: ({ pathname }) => pathname })
  const fold = useFold(`navigation.${title.toLowerCase()}`, isUnfoldedFirst)
  const shown = fold.isUnfolded ? pages : pages.filter((page) => isOpenAt(path, page))
  return (
    <>
      <div className={classes.group}>
        <FoldHeading {...fold}>
          {title}
          {pages.some(hasBadge) && !shown.some(hasBadge) && <MailProblemBadge />}
        </FoldHeading>
      </div>
      {shown.map((page) => (
        <Item key={page.to} page={page} onNavigate={onNavigate} />
      ))}
    </>
  )
}

const hasBadge = ({ to }: NavigationPage) => to === '/system/mail'

function Item({ page, onNavigate }: { page: NavigationPage; onNavigate: () => void }) {
  const path = useLocation({ select: ({ pathname }) => pathname })
  const selectedOrgId = useSelectedOrganizationId()
  const org = useHasOrganizationChoice() ? selectedOrgId : undefined
  const { to, label, key, Icon } = page
  return (
    <NavItem
      to={to}
      search={{ org }}
      label={label}
      active={isOpenAt(path, page)}
      rightSection={
        <>
          {hasBadge(page) && <MailProblemBadge />}
          <span className={classes.keys} aria-hidden>
            G {key.toUpperCase()}
          </span>
        </>
      }
      leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
      className={classes.link}
      onClick={onNavigate}
    />
  )
}
