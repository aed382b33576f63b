import { Button, Group, Stack, Text } from '@mantine/core'
import { ssoLoginUrl } from '../../lib/sso-login-url.ts'
import { ProviderWindowNote } from '../sso/provider-button.tsx'

/** For users without a password: signs in through the identity provider again and returns to this page. */
export function SignInAgain({ loginUrl, email }: { loginUrl: unknown; email: string }) {
  // The dialog is outside the router.
  const next = location.pathname + location.search
  const href = typeof loginUrl === 'string' ? ssoLoginUrl(loginUrl, { next, email, forcesSignIn: true }) : null
  if (!href)
    return (
      <Text size="sm">
        You signed in some time ago, and your identity provider is turned off, so we can’t confirm it’s you. Ask your
        administrator.
      </Text>
    )
  return (
    <Stack>
      <Text size="sm">
        You signed in some time ago. Sign in with your identity provider again; you’ll come back to this page and can
        repeat the action.
      </Text>
      <Group>
        <Button component="a" href={href} data-autofocus>
          Sign in again
        </Button>
      </Group>
      <ProviderWindowNote isInPlace={false} />
    </Stack>
  )
}
