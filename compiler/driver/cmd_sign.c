/* cmd_sign.c: implements tikc sign, and the check of signatures for tikc verify. A
 * signature is a file of 64 bytes beside the blob, over its content id
 * (docs/blob-format.md, Signing). */
#include "driver/driver.h"

static const char *
signature_path(Cmd *c)
{
    return arena_printf(&c->unit.arena, "%s.sig", c->files.p[0]);
}

static bool
told(Cmd *c, const TikBlob *b, const char *out, const uint8_t key[TIKBLOB_KEY_BYTES])
{
    if (!report_json(c)) {
        return true;
    }
    Text t;
    uint8_t id[32];
    char content[65], owner[65];
    tikblob_content_id(b, id);
    key_hex(id, sizeof id, content);
    key_hex(key, TIKBLOB_KEY_BYTES, owner);
    json_begin(c, &t);
    json_text(&t, "output", out);
    json_text(&t, "content", content);
    json_text(&t, "key", owner);
    return json_end(c, &t);
}

/* Only a whole blob is signed; what it does is no concern of a signature. */
static bool
sign(Cmd *c)
{
    TikBlob b;
    uint8_t message[TIKBLOB_MESSAGE_BYTES], signature[TIKBLOB_SIGNATURE_BYTES];
    uint8_t key[TIKBLOB_KEY_BYTES];
    const char *out = c->out ? c->out : signature_path(c);
    TRY(options_spare(c, out) && blob_open(c, &b));
    tikblob_message(&b, message);
    return key_sign(c, message, signature, key) &&
           io_write(&c->unit, out, signature, sizeof signature) && told(c, &b, out, key);
}

int
cmd_sign(Cmd *c)
{
    bool ok = c->key != NULL || options_wrong(c, "sign needs --key PRIVATE.pem");
    return ok && blob_one_output(c) ? blob_files(c, sign) : report_unit(c);
}

bool
sign_check(Cmd *c, const TikBlob *b, bool *trusted, TikBlobDiag *diag)
{
    *trusted = true;
    if (!c->key) {
        return true;
    }
    uint8_t key[1][TIKBLOB_KEY_BYTES];
    char *bytes;
    size_t size;
    TRY(key_public(c, key[0]) &&
        io_read(&c->unit, c->signature ? c->signature : signature_path(c), &bytes,
                &size));
    TikBlobTrust trust = {.keys = (const uint8_t(*)[TIKBLOB_KEY_BYTES])key,
                          .nkeys = 1,
                          .ed25519 = key_signed};
    *trusted = tikblob_trusted(b, (const uint8_t *)bytes, size, &trust, diag);
    return true;
}
