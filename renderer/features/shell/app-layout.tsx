import { AppShell, Burger, Button, Divider, Group, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure, useWindowEvent } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { LiveProvider } from '../../domain/live-events/live-provider.tsx'
import { useCurrentTenantName } from '../../domain/memberships/use-current-tenant-name.ts'
import { seesOrganizations } from '../../domain/organizations/organization-permissions.ts'
import {
  useHasOrganizationChoice,
  useSelectedOrganizationId,
} from '../../domain/organizations/selected-organization.ts'
import { HiddenColumnsProvider } from '../../domain/profile/hidden-columns-provider.tsx'
import { useColorSchemeOf } from '../../domain/profile/use-color-scheme.ts'
import { useNoteVisit } from '../../lib/last-visit.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { useNarrowScreen } from '../../lib/use-narrow-screen.ts'
import { useOpenDialog } from '../../lib/use-open-dialog.ts'
import { Brand } from '../../ui/brand.tsx'
import { AccountNotices } from './account-notices.tsx'
import classes from './app-layout.module.css'
import { Navigation } from './navigation.tsx'
import { OfflineNotice } from './offline-notice.tsx'
import { PageAccess } from './page-access.tsx'
import { InAppFrame } from './page-failed.tsx'
import { PrintHeader } from './print-header.tsx'
import { RecoveryCodeNotice } from './recovery-code-notice.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { TabIcon } from './tab-icon.tsx'
import { UserMenu } from './user-menu.tsx'

interface Props {
  /** Below the navigation; `onNavigate` closes it on a phone. */
  tenantTree: (onNavigate: () => void) => ReactNode
  /** Opens the search, from the header. */
  searchButton: ReactNode
  /** Dialogs that any page can open. */
  dialogs: ReactNode
}

/** The frame of every page behind the sign-in. */
export function AppLayout({ tenantTree, searchButton, dialogs }: Props) {
  const me = useMe()
  const tenantName = useCurrentTenantName()
  const navigation = useFoldedNavigation()
  const main = useFocusOnNavigation()
  useColorSchemeOf(me)
  useNoteVisit(me.id)
  return (
    <LiveProvider>
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <AppShell
        header={{ height: 54 }}
        navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !navigation.isOpen } }}
        padding={{ base: 'md', sm: 'lg' }}
      >
        <AppShell.Header className={classes.bar}>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="sm">
            <Group gap="sm" wrap="nowrap" miw={0}>
              <Burger
                ref={navigation.burger}
                opened={navigation.isOpen}
                onClick={navigation.toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label="Navigation"
                aria-expanded={navigation.isOpen}
              />
              <HomeLink onNavigate={navigation.close} />
              {tenantName && (
                <Group gap="sm" wrap="nowrap" visibleFrom="sm" miw={0}>
                  <Divider orientation="vertical" h={18} style={{ alignSelf: 'center' }} />
                  <Text size="sm" c="dimmed" truncate>
                    {tenantName}
                  </Text>
                </Group>
              )}
            </Group>
            <Group gap="sm" wrap="nowrap">
              {searchButton}
              {seesOrganizations(me) && can(me, 'organizations:write') && <AddDeviceButton />}
              <UserMenu me={me} />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar ref={navigation.bar} className={classes.nav} p="xs" inert={navigation.isHidden}>
          <Navigation me={me} onNavigate={navigation.close} />
          {tenantTree(navigation.close)}
        </AppShell.Navbar>
        <AppShell.Main ref={main} id="main" tabIndex={-1} className={classes.main} inert={navigation.isCovering}>
          <div className={classes.page}>
            <PrintHeader tenantName={tenantName} />
            <AccountNotices me={me} />
            <RecoveryCodeNotice />
            <InAppFrame value>
              <PageAccess me={me}>
                <HiddenColumnsProvider me={me}>
                  <Outlet />
                </HiddenColumnsProvider>
              </PageAccess>
            </InAppFrame>
          </div>
        </AppShell.Main>
      </AppShell>
      {dialogs}
      <OfflineNotice />
      <TabIcon />
      <Shortcuts />
    </LiveProvider>
  )
}

/** On a narrow screen the navigation covers the page or is hidden; what is not visible is inert. */
function useFoldedNavigation() {
  const isNarrow = useNarrowScreen()
  const [isOpen, { toggle, close }] = useDisclosure()
  const bar = useRef<HTMLDivElement>(null)
  const burger = useRef<HTMLButtonElement>(null)
  const isCovering = isNarrow && isOpen
  useEffect(() => {
    if (isCovering) bar.current?.querySelector('a')?.focus({ preventScroll: true })
  }, [isCovering])
  useWindowEvent('keydown', ({ key, defaultPrevented }) => {
    if (key !== 'Escape' || !isCovering || defaultPrevented) return
    close()
    burger.current?.focus()
  })
  return { isOpen, isCovering, isHidden: isNarrow && !isOpen, toggle, close, bar, burger }
}

/** Moves the focus to the top of a new page, as a page load would. */
function useFocusOnNavigation() {
  const main = useRef<HTMLElement>(null)
  const path = useLocation({ select: (location) => location.pathname })
  const shownPath = useRef(path)
  useEffect(() => {
    if (shownPath.current === path) return
    shownPath.current = path
    main.current?.focus({ preventScroll: true })
  }, [path])
  return main
}

/** Home of the organization that is selected, as the navigation has it. */
function HomeLink({ onNavigate }: { onNavigate: () => void }) {
  const selectedOrgId = useSelectedOrganizationId()
  const org = useHasOrganizationChoice() ? selectedOrgId : undefined
  return (
    <Link to="/" search={{ org }} className={classes.home} onClick={onNavigate}>
      <Brand isShort={useNarrowScreen()} />
      <VisuallyHidden>, home page</VisuallyHidden>
    </Link>
  )
}

function AddDeviceButton() {
  const open = useOpenDialog('add-device')
  return (
    <Button size="xs" leftSection={<IconPlus size={16} />} onClick={open}>
      Add a device
    </Button>
  )
}
