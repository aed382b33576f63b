import { Button, type ButtonProps, Text } from '@mantine/core'
import { IconIdBadge2 } from '@tabler/icons-react'
import type { Ref } from 'react'
import type { Way } from '../../features/authentication/sso/use-identity-providers.ts'
import { isInDesktopWindow } from '../../lib/desktop.ts'
import classes from './provider-button.module.css'
import { beginningOf } from './sso-login-url.ts'

interface Props extends ButtonProps {
  way: Pick<Way, 'providerName' | 'loginUrl'>
  next?: string | undefined
  email: string
  /** Over a page that has to stay: the provider is visited in another tab. */
  isInPlace?: boolean
  ref?: Ref<HTMLAnchorElement>
}

/**
 * Leads to an identity provider. What begins there has to end in the same browser, because its cookie is there, and some
 * providers show nothing in the window of an app: so the desktop shell hands this address to the system's browser.
 */
export function WayButton({ way, next, email, isInPlace = false, ref, ...button }: Props) {
  return (
    <Button
      component="a"
      ref={ref}
      href={beginningOf(way.loginUrl, { next, email }) ?? undefined}
      target={isInPlace && !isInDesktopWindow() ? '_blank' : undefined}
      fullWidth
      leftSection={<IconIdBadge2 size={18} aria-hidden />}
      classNames={{ root: classes.button, label: classes.label }}
      {...button}
    >
      Sign in with {way.providerName}
    </Button>
  )
}

/** Where the buttons lead, where that is not this window. */
export function AboutElsewhere({ isInPlace }: { isInPlace: boolean }) {
  if (!isInPlace && !isInDesktopWindow()) return null
  return (
    <Text size="xs" c="dimmed">
      {isInDesktopWindow()
        ? 'Your identity provider opens in your web browser, and Homeport goes on there.'
        : 'Your identity provider opens in another tab. Come back here once you are signed in.'}
    </Text>
  )
}
