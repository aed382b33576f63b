import { Button, type ButtonProps, Text } from '@mantine/core'
import { IconIdBadge2 } from '@tabler/icons-react'
import type { Ref } from 'react'
import type { IdentityProvider } from '../../data/sso-sign-in.ts'
import { isInDesktopWindow } from '../../lib/desktop.ts'
import { ssoLoginUrl } from '../../lib/sso-login-url.ts'
import classes from './provider-button.module.css'

interface Props extends ButtonProps {
  provider: Pick<IdentityProvider, 'providerName' | 'loginUrl'>
  next?: string | undefined
  email: string
  /** The page below has to stay open, so the provider opens in another tab. */
  isInPlace?: boolean
  ref?: Ref<HTMLAnchorElement>
}

/**
 * Links to an identity provider. A sign-in has to end in the browser that has its cookie, and some providers refuse to
 * show anything in the window of an app: the desktop shell opens this link in the system's browser.
 */
export function ProviderButton({ provider, next, email, isInPlace = false, ref, ...button }: Props) {
  return (
    <Button
      component="a"
      ref={ref}
      href={ssoLoginUrl(provider.loginUrl, { next, email }) ?? undefined}
      target={isInPlace && !isInDesktopWindow() ? '_blank' : undefined}
      fullWidth
      leftSection={<IconIdBadge2 size={18} aria-hidden />}
      classNames={{ root: classes.button, label: classes.label }}
      {...button}
    >
      Sign in with {provider.providerName}
    </Button>
  )
}

/** Says where the provider opens if it is not this window. */
export function ProviderWindowNote({ isInPlace }: { isInPlace: boolean }) {
  if (!isInPlace && !isInDesktopWindow()) return null
  return (
    <Text size="xs" c="dimmed">
      {isInDesktopWindow()
        ? 'Your identity provider opens in your web browser, and Homeport continues there.'
        : 'Your identity provider opens in another tab. Come back here after signing in.'}
    </Text>
  )
}
