import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SignOutReach } from '../../../shared/api/auth.ts'
import { queryClient } from '../../lib/query-client.ts'
import { signOut, signOutReason } from '../../lib/session.ts'

/** Ends this session, or every one of the user, and navigates to the sign-in even if the server did not answer. */
export function useSignOut(reach: SignOutReach = 'session') {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => signOut(reach),
    onSettled: async () => {
      await navigate({ to: '/login', search: { reason: signOutReason(reach) } })
      queryClient.clear()
    },
  })
}
