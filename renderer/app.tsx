import { PageLoading } from './ui/page-loading.tsx'
// A CSS layer of their own, so that the console's rules win in whatever order the chunks load.
import '@mantine/core/styles.layer.css'
import '@mantine/notifications/styles.layer.css'
import './ui/base.css'
import './ui/print.css'
import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, Suspense, use } from 'react'
import { createRoot } from 'react-dom/client'
import { StepUpDialog } from './domain/step-up/step-up-dialog.tsx'
import { redeemSsoCodeInUrl } from './features/authentication/sso/redeem-sso-code.ts'
import { ApiError } from './lib/api-error.ts'
import { handlePopupKeys } from './lib/popup-keys.ts'
import { queryClient } from './lib/query-client.ts'
import { restoreLostFocus } from './lib/restore-lost-focus.ts'
import { UserFacingError } from './lib/user-facing-error.ts'
import { router } from './router.tsx'
import { describeDialogs } from './ui/dialog-description.ts'
import { cssVariables, theme } from './ui/theme.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

/** Errors that the page shows in its own place are not reported again. */
const onCaughtError = (error: unknown) => {
  if (!(error instanceof ApiError || error instanceof UserFacingError)) reportError(error)
}

export function start() {
  // The scroll lock of dialogs creates a style element and reads its nonce from here.
  Object.assign(globalThis, { __webpack_nonce__: nonce })
  const root = document.getElementById('root')
  if (!root) throw new Error('The page has no root element')
  restoreLostFocus()
  handlePopupKeys()
  describeDialogs()
  const arrival = redeemSsoCodeInUrl(router)
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queryClient}>
          <ModalsProvider>
            <Notifications position="bottom-right" />
            <Suspense fallback={<PageLoading />}>
              <Pages arrival={arrival} />
            </Suspense>
            <StepUpDialog />
          </ModalsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}

/** Waits for a single sign-on that has just come back to be redeemed. */
function Pages({ arrival }: { arrival: Promise<void> | null }) {
  if (arrival) use(arrival)
  return <RouterProvider router={router} />
}
