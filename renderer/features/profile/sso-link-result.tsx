import { Alert } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { linkNotice } from './sso-link-messages.ts'

const linked = 'Connected. You can now sign in this way as well.'

/** Result of linking an identity provider, from the URL on the way back; removed from the URL once shown. */
export function SsoLinkResult() {
  const { ssoLinked, ssoLinkError } = useSearch({ from: '/app/settings/profile' })
  const navigate = useNavigate({ from: '/settings/profile' })
  const [failure] = useState(ssoLinkError)
  const isNews = ssoLinked !== undefined || ssoLinkError !== undefined
  const [isShown, setShown] = useState(isNews)
  useEffect(() => {
    const shownParams = { tab: 'security', ssoLinked: undefined, ssoLinkError: undefined } as const
    if (isNews) void navigate({ search: (old) => ({ ...old, ...shownParams }), replace: true })
  }, [isNews, navigate])
  if (!isShown) return null
  const isLinked = failure === undefined
  return (
    <Alert
      color={isLinked ? 'teal' : 'red'}
      variant="light"
      role={isLinked ? 'status' : 'alert'}
      mb="md"
      withCloseButton
      closeButtonLabel="Close this notice"
      onClose={() => setShown(false)}
    >
      {isLinked ? linked : `Not connected. ${linkNotice(failure)}`}
    </Alert>
  )
}
