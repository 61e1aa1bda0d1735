// SPDX-License-Identifier: Apache-2.0

/** Gives wrong values to the generated class of Features, and a long packet to the splitter of Scene. */
@SuppressWarnings("deprecation")
public class Values {
    public static void main(String[] arguments) throws Exception {
        FeaturesProtocol.Hidden hidden = new FeaturesProtocol.Hidden();
        hidden.password = null;
        refuse("null", hidden);
        hidden.password = "\udc00";
        refuse("low surrogate", hidden);
        FeaturesProtocol.WideGrown grown = new FeaturesProtocol.WideGrown();
        grown.code = "a\ud800";
        refuse("high surrogate", grown);
        FeaturesProtocol.Deep deep = new FeaturesProtocol.Deep();
        deep.tree = null;
        refuse("no structure", deep);
        deep.tree = new FeaturesProtocol.Tree();
        deep.tree.branches = null;
        refuse("no list", deep);
        FeaturesProtocol.Tree inner = deep.tree;
        for (int i = 0; i < 3; i++) {
            inner.branches = new FeaturesProtocol.Tree[] {new FeaturesProtocol.Tree()};
            inner = inner.branches[0];
        }
        refuse("too deep", deep);
        FeaturesProtocol.Cs_1 numbers = new FeaturesProtocol.Cs_1();
        numbers.u8 = 256;
        refuse("too large", numbers);
        numbers.u8 = 0;
        numbers.f64 = Double.longBitsToDouble(0xFFF0000000000001L);
        byte[] written = FeaturesProtocol.encode(numbers);
        numbers.f64 = Double.NaN;
        System.out.println("NaN: " + (java.util.Arrays.equals(written, FeaturesProtocol.encode(numbers)) ? "quiet" : "its bits"));
        bytewise();
    }

    private static void refuse(String what, FeaturesProtocol.Message message) {
        try {
            FeaturesProtocol.encode(message);
            System.out.println(what + ": nothing is refused");
        } catch (FeaturesProtocol.WireException error) {
            System.out.println(what + ": " + error.kind + " " + error.path + (error.offset == -1 ? "" : " at " + error.offset));
        }
    }

    /** Without linear time this takes minutes. */
    private static void bytewise() throws Exception {
        SceneProtocol.UnknownMessage unknown = new SceneProtocol.UnknownMessage();
        unknown.id = 9999;
        unknown.payload = new byte[1000000];
        byte[] packet = SceneProtocol.encode(unknown);
        SceneProtocol.Splitter splitter = new SceneProtocol.Splitter(SceneProtocol.Sender.CLIENT);
        int found = 0;
        long before = System.nanoTime();
        for (int i = 0; i < 2 * packet.length; i++) {
            splitter.push(packet, i % packet.length, 1);
            if (splitter.next() != null) found++;
        }
        splitter.finish();
        System.out.println("byte by byte: " + found + " packets" + (System.nanoTime() - before < 20000000000L ? "" : ", slowly"));
    }
}
