export const name = '011-email-proofs'

/**
 * Earlier versions took every accepted invitation for a proof of the mailbox, also where its link had been handed over
 * by the inviter. Such an address counts as proved again once its owner has followed a mailed link.
 */
export const sql = `
UPDATE users SET email_verified_at = NULL
WHERE email_verified_at IS NOT NULL
  AND id IN (SELECT resource_id FROM audit_logs WHERE action = 'user.invite.accepted')
  AND id NOT IN (SELECT resource_id FROM audit_logs WHERE action IN ('auth.email_verified', 'auth.email.change.committed'));
`
