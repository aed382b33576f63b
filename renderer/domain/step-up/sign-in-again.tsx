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
        You signed in some time ago, and your identity provider is switched off here: nobody can say anew that it is
        you. Ask your administrator.
      </Text>
    )
  return (
    <Stack>
      <Text size="sm">
        You signed in some time ago. Show your identity provider again who you are: you come back to this page, and do
        this once more.
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
